report -metrics overall -out coverage.log
report -html -metrics all -out coverage_html -overwrite
