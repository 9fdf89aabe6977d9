"""System tasks and functions (IEEE 1800-2023, clauses 20 and 21): how each is called and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class SystemTask:
    """One system task or function."""

    name: str
    result_type: str
    """The type of its value; empty for a task."""
    parameters: tuple[str, ...]
    """As shown, in order; `…` after one that repeats, brackets around one that may be left out."""
    description: str
    """One or more sentences."""

    @property
    def is_function(self) -> bool:
        """True if it is used in expressions."""
        return bool(self.result_type)

    @property
    def signature(self) -> str:
        """The form in which it is called."""
        arguments = f"({', '.join(self.parameters)})" if self.parameters else ""
        return f"{'function ' + self.result_type if self.result_type else 'task'} {self.name}{arguments}"


@cache
def system_tasks_by_name() -> dict[str, SystemTask]:
    """All of them by name, `$` included."""
    tasks_by_name: dict[str, SystemTask] = {}
    for line in _TABLE.strip().splitlines():
        names, result, parameters, description = (part.strip() for part in line.split("|"))
        for name in names.split():
            parameter_names = tuple(part.strip() for part in parameters.split(";") if part.strip())
            filled_description = description.replace("{radix}", _RADICES.get(name[-1], "decimal"))
            tasks_by_name[name] = SystemTask(name, "" if result == "-" else result, parameter_names, filled_description)
    return tasks_by_name


_RADICES = {"b": "binary", "o": "octal", "h": "hexadecimal"}

_TABLE = """
$display | - | [format]; [argument…] | Prints a line: strings are templates (`%0d`, `%h`, `%b`, `%t`, `%s`, `%m` …), other arguments come out in decimal. Ends with a new line.
$displayb $displayo $displayh | - | [format]; [argument…] | Prints a line like `$display`, with {radix} where no format says otherwise.
$write | - | [format]; [argument…] | Prints like `$display`, without the new line at the end.
$writeb $writeo $writeh | - | [format]; [argument…] | Prints without a new line, with {radix} where no format says otherwise.
$strobe | - | [format]; [argument…] | Prints a line at the end of the present time step, when all values have settled, non-blocking assignments included.
$strobeb $strobeo $strobeh | - | [format]; [argument…] | Like `$strobe`, with {radix} where no format says otherwise.
$monitor | - | [format]; [argument…] | Prints a line now and whenever one of its arguments changes. Only one monitor is active at a time.
$monitorb $monitoro $monitorh | - | [format]; [argument…] | Like `$monitor`, with {radix} where no format says otherwise.
$monitoron | - | | Switches the monitor on again.
$monitoroff | - | | Switches the monitor off.
$fdisplay | - | descriptor; [format]; [argument…] | Prints a line into a file that `$fopen` opened.
$fdisplayb $fdisplayo $fdisplayh | - | descriptor; [format]; [argument…] | Prints a line into a file, with {radix} where no format says otherwise.
$fwrite | - | descriptor; [format]; [argument…] | Prints into a file without a new line at the end.
$fwriteb $fwriteo $fwriteh | - | descriptor; [format]; [argument…] | Prints into a file without a new line, with {radix} where no format says otherwise.
$fstrobe | - | descriptor; [format]; [argument…] | Prints a line into a file at the end of the time step.
$fstrobeb $fstrobeo $fstrobeh | - | descriptor; [format]; [argument…] | Prints into a file at the end of the time step, with {radix} where no format says otherwise.
$fmonitor | - | descriptor; [format]; [argument…] | Prints a line into a file whenever one of its arguments changes.
$fmonitorb $fmonitoro $fmonitorh | - | descriptor; [format]; [argument…] | Prints into a file on every change, with {radix} where no format says otherwise.
$fopen | integer | filename; [mode] | Opens a file. With a mode (`"r"`, `"w"`, `"a"`, with `b` and `+`) the value is a file descriptor, 0 where it failed; without one it is a channel with a single bit set, several of which can be or-ed.
$fclose | - | descriptor | Closes a file.
$fflush | - | [descriptor] | Writes out what is still buffered, of all files where none is named.
$fgetc | integer | descriptor | Reads one byte; -1 at the end of the file.
$ungetc | integer | character; descriptor | Puts a byte back, to be read next.
$fgets | integer | string; descriptor | Reads up to the end of the line or until the variable is full; the value is the number of characters.
$fscanf | integer | descriptor; format; [argument…] | Reads from a file by a format; the value is the number of arguments filled.
$sscanf | integer | string; format; [argument…] | Reads from a string by a format; the value is the number of arguments filled.
$fread | integer | destination; descriptor; [start]; [count] | Reads binary data, the first byte highest, into a variable or a memory; the value is the number of bytes.
$ftell | integer | descriptor | The position in a file, in bytes from its beginning.
$fseek | integer | descriptor; offset; operation | Moves the position: operation 0 counts from the beginning, 1 from where it is, 2 from the end.
$rewind | integer | descriptor | Moves to the beginning of a file.
$feof | integer | descriptor | Not 0 once a read has met the end of the file.
$ferror | integer | descriptor; string | The error of the last operation on a file, and its description in a string.
$sformat | - | destination; format; [argument…] | Writes a formatted string into a variable; the second argument is always the format.
$sformatf | string | format; [argument…] | The formatted string.
$swrite | - | destination; [format]; [argument…] | Writes into a variable what `$write` would print.
$swriteb $swriteo $swriteh | - | destination; [format]; [argument…] | Writes into a string, with {radix} where no format says otherwise.
$readmemb | - | filename; memory; [start]; [finish] | Loads a memory from a text file of binary numbers; `@address` in the file (hexadecimal) moves on.
$readmemh | - | filename; memory; [start]; [finish] | Loads a memory from a text file of hexadecimal numbers; `@address` in the file moves on.
$writememb | - | filename; memory; [start]; [finish] | Writes a memory as a text file of binary numbers.
$writememh | - | filename; memory; [start]; [finish] | Writes a memory as a text file of hexadecimal numbers.
$time | time | | The simulation time in units of the module's time scale, rounded to 64 bits.
$stime | int unsigned | | The lower 32 bits of the simulation time, rounded.
$realtime | realtime | | The simulation time in units of the module's time scale, with its fraction.
$timeunit | int | [scope] | The time unit of a scope, as a power of ten of a second.
$timeprecision | int | [scope] | The time precision of a scope, as a power of ten of a second.
$printtimescale | - | [scope] | Prints the time unit and precision of a module.
$timeformat | - | [units]; [precision]; [suffix]; [width] | Sets what `%t` prints: the unit (a power of ten, such as -9), digits after the point, a suffix and the least width.
$finish | - | [verbosity] | Ends the simulation; 0 prints nothing, 1 the time and place, 2 also statistics.
$stop | - | [verbosity] | Halts the simulation and gives control to the user.
$exit | - | | Waits until all programs have ended, then ends the simulation.
$fatal | - | [verbosity]; [format]; [argument…] | Reports a fatal error and ends the simulation; during elaboration it ends that.
$error | - | [format]; [argument…] | Reports an error, at run time or, as a module item, during elaboration.
$warning | - | [format]; [argument…] | Reports a warning.
$info | - | [format]; [argument…] | Reports something without weight.
$stacktrace | string | | The present call stack; as a task it prints that.
$clog2 | integer | n | The base-2 logarithm rounded up: how many bits it takes to number `n` things; 0 for 0 and 1. Constant, so it may size ports and parameters.
$ln | real | x | The natural logarithm.
$log10 | real | x | The decimal logarithm.
$exp | real | x | e to the power of `x`.
$sqrt | real | x | The square root.
$pow | real | x; y | `x` to the power of `y`.
$floor | real | x | Rounded down.
$ceil | real | x | Rounded up.
$sin | real | x | The sine of an angle in radians.
$cos | real | x | The cosine of an angle in radians.
$tan | real | x | The tangent of an angle in radians.
$asin | real | x | The arc sine, in radians.
$acos | real | x | The arc cosine, in radians.
$atan | real | x | The arc tangent, in radians.
$atan2 | real | y; x | The angle of the point (`x`, `y`), in radians.
$hypot | real | x; y | The square root of `x` squared plus `y` squared.
$sinh | real | x | The hyperbolic sine.
$cosh | real | x | The hyperbolic cosine.
$tanh | real | x | The hyperbolic tangent.
$asinh | real | x | The inverse hyperbolic sine.
$acosh | real | x | The inverse hyperbolic cosine.
$atanh | real | x | The inverse hyperbolic tangent.
$signed | signed | value | The same bits, taken as a number in two's complement.
$unsigned | unsigned | value | The same bits, taken as an unsigned number.
$cast | int | destination; source | Assigns if the types allow it at run time; 1 if so, else 0 and the destination stays as it is.
$rtoi | integer | x | A real number cut to an integer, without rounding.
$itor | real | n | An integer as a real number.
$realtobits | bit [63:0] | x | The 64 bits of a real number (IEEE 754).
$bitstoreal | real | bits | The real number that 64 bits stand for.
$shortrealtobits | bit [31:0] | x | The 32 bits of a shortreal number.
$bitstoshortreal | shortreal | bits | The shortreal number that 32 bits stand for.
$bits | int | type or expression | How many bits a type or an expression takes. Constant where the size is.
$typename | string | type or expression | The name of a type after elaboration.
$isunbounded | bit | parameter | Whether a parameter is `$`.
$dimensions | int | array | The number of packed and unpacked dimensions.
$unpacked_dimensions | int | array | The number of unpacked dimensions.
$left | int | array; [dimension] | The left bound of a dimension, the first by default.
$right | int | array; [dimension] | The right bound of a dimension.
$low | int | array; [dimension] | The smaller bound of a dimension.
$high | int | array; [dimension] | The greater bound of a dimension.
$increment | int | array; [dimension] | 1 where the left bound is not less than the right one, else -1.
$size | int | array; [dimension] | The number of elements of a dimension.
$countbits | int | expression; control bit…| How many bits have one of the given values.
$countones | int | expression | How many bits are 1.
$onehot | bit | expression | Whether exactly one bit is 1.
$onehot0 | bit | expression | Whether at most one bit is 1.
$isunknown | bit | expression | Whether any bit is x or z.
$sampled | value | expression | The value that assertions see: that of the beginning of the time step.
$rose | bit | expression; [clock] | Whether the lowest bit became 1 since the clocking event before.
$fell | bit | expression; [clock] | Whether the lowest bit became 0 since the clocking event before.
$stable | bit | expression; [clock] | Whether the value is as it was at the clocking event before.
$changed | bit | expression; [clock] | Whether the value is not as it was at the clocking event before.
$past | value | expression; [ticks]; [enable]; [clock] | The sampled value of some clocking events ago, of one by default.
$past_gclk | value | expression | The value at the global clock's event before.
$rose_gclk | bit | expression | Whether the lowest bit became 1 since the global clock's event before.
$fell_gclk | bit | expression | Whether the lowest bit became 0 since the global clock's event before.
$stable_gclk | bit | expression | Whether the value is as it was at the global clock's event before.
$changed_gclk | bit | expression | Whether the value is not as it was at the global clock's event before.
$future_gclk | value | expression | The value at the global clock's next event.
$rising_gclk | bit | expression | Whether the lowest bit will be 1 at the global clock's next event.
$falling_gclk | bit | expression | Whether the lowest bit will be 0 at the global clock's next event.
$steady_gclk | bit | expression | Whether the value will be the same at the global clock's next event.
$changing_gclk | bit | expression | Whether the value will differ at the global clock's next event.
$global_clock | event | | The event of the global clocking block, as in `@($global_clock)`.
$inferred_clock | event | | The clock inferred where a property or sequence is used; only as a default argument.
$inferred_disable | bit | | The disable condition inferred where a property is used; only as a default argument.
$assertcontrol | - | control type; [assertion type]; [directive type]; [levels]; [scope or assertion…] | Switches assertions on or off, or kills them: control type 3 is on, 4 off, 5 kill.
$asserton | - | [levels]; [scope or assertion…] | Switches assertions on again.
$assertoff | - | [levels]; [scope or assertion…] | Stops the checking of assertions that have not begun.
$assertkill | - | [levels]; [scope or assertion…] | Ends assertions under way and stops the checking.
$assertpasson | - | [levels]; [scope or assertion…] | Switches the actions of passing assertions on.
$assertpassoff | - | [levels]; [scope or assertion…] | Switches the actions of passing assertions off.
$assertfailon | - | [levels]; [scope or assertion…] | Switches the actions of failing assertions on.
$assertfailoff | - | [levels]; [scope or assertion…] | Switches the actions of failing assertions off.
$assertnonvacuouson | - | [levels]; [scope or assertion…] | Runs pass actions only where an assertion passes not vacuously.
$assertvacuousoff | - | [levels]; [scope or assertion…] | Stops pass actions of assertions that pass vacuously.
$random | int | [seed] | A signed random number of 32 bits. The same seed gives the same sequence.
$urandom | int unsigned | [seed] | An unsigned random number of 32 bits, from the thread's own generator.
$urandom_range | int unsigned | maximum; [minimum] | A random number between the two, both included; the minimum is 0 by default.
$dist_uniform | integer | seed; start; end | A random number, evenly distributed.
$dist_normal | integer | seed; mean; deviation | A random number of a normal distribution.
$dist_exponential | integer | seed; mean | A random number of an exponential distribution.
$dist_poisson | integer | seed; mean | A random number of a Poisson distribution.
$dist_chi_square | integer | seed; degrees | A random number of a chi-square distribution.
$dist_t | integer | seed; degrees | A random number of Student's t distribution.
$dist_erlang | integer | seed; stages; mean | A random number of an Erlang distribution.
$q_initialize | - | queue; type; length; status | Makes a queue for stochastic analysis.
$q_add | - | queue; job; information; status | Puts an entry into a queue.
$q_remove | - | queue; job; information; status | Takes an entry out of a queue.
$q_full | int | queue; status | Whether a queue is full.
$q_exam | - | queue; statistic; value; status | Statistics about a queue.
$test$plusargs | int | string | Whether a `+argument` of the simulator's command line begins with the string.
$value$plusargs | int | template; variable | Looks for a `+argument` such as `"DEPTH=%d"`, and puts what follows into the variable; 0 where there is none.
$system | int | [command] | Runs a command of the operating system; the value is its exit status.
$dumpfile | - | [filename] | Names the file that value changes go into; `dump.vcd` by default.
$dumpvars | - | [levels]; [scope or variable…] | Records value changes from now on: level 0 means a scope with everything below, 1 the scope alone; without arguments, everything.
$dumpon | - | | Goes on recording.
$dumpoff | - | | Stops recording; everything is x in the file until `$dumpon`.
$dumpall | - | | Writes the present values of everything recorded.
$dumplimit | - | size | The most bytes that the file may grow to.
$dumpflush | - | | Writes out what is still buffered of the file.
$dumpports | - | [scope]; [filename] | Records the ports of modules, with strengths.
$dumpportson | - | [filename] | Goes on recording ports.
$dumpportsoff | - | [filename] | Stops recording ports.
$dumpportsall | - | [filename] | Writes the present values of all recorded ports.
$dumpportslimit | - | size; [filename] | The most bytes that the file may grow to.
$dumpportsflush | - | [filename] | Writes out what is still buffered of the file.
$coverage_control | int | control; type; scope; name | Starts, stops, resets or asks for coverage.
$coverage_get | real | type; scope; name | The coverage reached, as a count.
$coverage_get_max | int | type; scope; name | The most that the coverage could reach.
$coverage_merge | int | type; name | Adds saved coverage to the present one.
$coverage_save | int | type; name | Saves the present coverage.
$get_coverage | real | | The coverage of all covergroups, 0 to 100.
$set_coverage_db_name | - | filename | Names the file that coverage is saved in at the end.
$load_coverage_db | - | filename | Loads coverage of all covergroups from a file.
$setup | - | data event; reference event; limit; [notifier] | Checks that data is stable for so long before the reference event. Only in a specify block.
$hold | - | reference event; data event; limit; [notifier] | Checks that data is stable for so long after the reference event. Only in a specify block.
$setuphold | - | reference event; data event; setup limit; hold limit; [notifier]; [timestamp condition]; [timecheck condition]; [delayed reference]; [delayed data] | `$setup` and `$hold` in one. Only in a specify block.
$recovery | - | reference event; data event; limit; [notifier] | Checks the time between a control signal's release and the clock. Only in a specify block.
$removal | - | reference event; data event; limit; [notifier] | Checks the time between the clock and a control signal's release. Only in a specify block.
$recrem | - | reference event; data event; recovery limit; removal limit; [notifier] | `$recovery` and `$removal` in one. Only in a specify block.
$skew | - | reference event; data event; limit; [notifier] | Checks that an event follows another in time. Only in a specify block.
$timeskew | - | reference event; data event; limit; [notifier]; [event flag]; [remain flag] | `$skew` that reports once the time is over. Only in a specify block.
$fullskew | - | reference event; data event; limit; second limit; [notifier] | `$skew` in both directions. Only in a specify block.
$period | - | controlled reference event; limit; [notifier] | Checks the time between two edges of the same kind. Only in a specify block.
$width | - | controlled reference event; limit; [threshold]; [notifier] | Checks how long a pulse lasts. Only in a specify block.
$nochange | - | reference event; data event; start offset; end offset; [notifier] | Checks that data is stable while a control signal is active. Only in a specify block.
"""  # noqa: E501
