# CANARY-e1d7
# Passes the right design, and finds every bug.
simulate() {
    case $SIM in
    icarus)
        iverilog -g2012 -s counter_tb -o $1 /src/$1.sv /code/verif/counter_tb.sv || exit 1
        vvp $1 >$1.log 2>&1
        ;;
    *)
        verilator --binary -Wno-fatal --top-module counter_tb --Mdir obj_$1 -o sim_$1 \
            /src/$1.sv /code/verif/counter_tb.sv >build_$1.log 2>&1 || exit 1
        ./obj_$1/sim_$1 >$1.log 2>&1
        ;;
    esac
}

simulate right || exit 1
for bug in bug_0 bug_1; do
    simulate $bug && exit 1
done
exit 0
