# CANARY-e1d7
set -e
case $SIM in
icarus) iverilog -g2012 -s tb -o sim /src/tb.sv /code/rtl/inv.sv; program=./sim ;;
*) verilator --binary --top-module tb -o sim /src/tb.sv /code/rtl/inv.sv >build.log 2>&1 || { cat build.log; exit 1; }; program=./obj_dir/sim ;;
esac
$program >output.log
! grep -E "a is (.), and y is \1" output.log
