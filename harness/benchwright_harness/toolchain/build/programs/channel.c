/* Tells the supervisor what a testbench says, beside standard output, which the design shares.

   Loaded by Icarus as a VPI module; linked into a simulation of Verilator's with -DVERILATOR, where a run gives its
   functions names of its own (plan/testbench.py). Before any of the design runs, it connects to the supervisor
   (inside/guard/supervision.py), and then gives up reading files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define LOST 98 /* Exit status: nobody hears the testbench any more, or somebody else spoke. */
#define PIECE 16384
#define MOST (8 << 20)
#define WORDS 512
#define DATA "/tmp/benchwright-data"
#define READS (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGES 0x1FF2ULL /* Writing, and removing and making of every kind of file. */
#define REFER 0x2000ULL
#define TRUNCATE 0x4000ULL
#define ABSTRACT_SOCKETS_AND_SIGNALS 3ULL

static int channel = -1;
static size_t told;
/* What the supervisor answered: the suffix of our tasks' names, the folder of data, the files in the working folder that
   may be read, "--", and the scopes that may speak. */
static char answer[1 << 16], *words[WORDS];
static int count;

struct file {
    char *name, *content;
    size_t size;
    struct file *next;
};
static struct file *files;

static void give_up(const char *why) {
    fprintf(stderr, "benchwright: %s\n", why);
    fflush(NULL);
    _exit(LOST);
}

static void send_all(const char *text, size_t size) {
    while (size > 0) {
        ssize_t sent = send(channel, text, size, MSG_NOSIGNAL);
        if (sent <= 0)
            give_up("the supervisor is gone");
        text += sent;
        size -= sent;
    }
}

static void tell(const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    send_all(line, size);
}

/* One record: a text, whether a line ends after it, and whether it may hold the result. */
static void say(int ends, int result, const char *text) {
    static char record[PIECE * 6 + 128];
    size_t left = strlen(text);
    told += left;
    if (told > MOST)
        give_up("the testbench says too much");
    do {
        size_t size = left > PIECE ? PIECE : left;
        char *end = record + sprintf(record, "{\"result\": %s, \"record\": \"", result ? "true" : "false");
        for (size_t at = 0; at < size; at++) {
            unsigned char byte = text[at];
            if (byte < 32 || byte > 126 || byte == '"' || byte == '\\')
                end += sprintf(end, "\\u%04x", byte);
            else
                *end++ = byte;
        }
        left -= size;
        text += size;
        end += sprintf(end, "%s\"}\n", ends && left == 0 ? "\\n" : "");
        send_all(record, end - record);
    } while (left > 0);
}

static void take_data(const char *folder) {
    DIR *listed = opendir(folder);
    struct dirent *entry;
    while (listed && (entry = readdir(listed))) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int handle = open(path, O_RDONLY | O_CLOEXEC);
        if (handle >= 0 && fstat(handle, &status) == 0 && S_ISREG(status.st_mode)) {
            struct file *file = calloc(1, sizeof *file);
            file->name = strdup(entry->d_name);
            file->content = malloc(status.st_size + 1);
            ssize_t size = read(handle, file->content, status.st_size);
            file->size = size < 0 ? 0 : size;
            file->next = files;
            files = file;
        }
        if (handle >= 0)
            close(handle);
    }
    if (listed)
        closedir(listed);
}

/* Data is in its folder only while the testbench's own call reads it: meanwhile nothing of the design runs. */
static void show_data(int shown) {
    for (struct file *file = files; file; file = file->next) {
        char path[4096];
        snprintf(path, sizeof path, DATA "/%s", file->name);
        unlink(path);
        if (!shown)
            continue;
        int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (handle < 0 || write(handle, file->content, file->size) != (ssize_t)file->size)
            give_up("the testbench's data can't be shown");
        close(handle);
    }
}

static void allow(int ruleset, const char *path, uint64_t access) {
    struct landlock_path_beneath_attr rule = {access, open(path, O_PATH | O_CLOEXEC)};
    struct stat status;
    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

/* From here on this process reads no file but its data, starts no program, and reaches nobody outside. */
static int lock(void) {
    int offered = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (offered < 1)
        return 0;
    uint64_t changes = CHANGES | (offered >= 2 ? REFER : 0) | (offered >= 3 ? TRUNCATE : 0);
    uint64_t handled[3] = {READS | changes, 0, ABSTRACT_SOCKETS_AND_SIGNALS};
    int ruleset = syscall(SYS_landlock_create_ruleset, handled, offered >= 6 ? 24 : 8, 0);
    if (ruleset < 0)
        return 0;
    const char *written[] = {"/code/rundir", "/tmp", "/rundir", "/dev"};
    for (int at = 0; at < 4; at++)
        allow(ruleset, written[at], changes);
    allow(ruleset, DATA, READS | changes);
    for (int at = 2; at < count && strcmp(words[at], "--"); at++)
        allow(ruleset, words[at], LANDLOCK_ACCESS_FS_READ_FILE);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int locked = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return locked;
}

static int connect_to_supervisor(void) {
    const char *name = getenv("BENCHWRIGHT_SUPERVISOR");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!name || strlen(name) + 2 > sizeof address.sun_path)
        return 0;
    strcpy(address.sun_path + 1, name);
    int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(handle, (struct sockaddr *)&address, sizeof(sa_family_t) + 1 + strlen(name)))
        return 0;
    /* Far from the numbers that a design opens files at. */
    channel = fcntl(handle, F_DUPFD_CLOEXEC, 512);
    if (channel < 0)
        channel = handle;
    else
        close(handle);
    unsetenv("BENCHWRIGHT_SUPERVISOR");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    tell("{\"testbench\": true}\n");
    size_t size = 0;
    while (size < sizeof answer - 1 && (size == 0 || answer[size - 1] != '\n')) {
        ssize_t got = recv(channel, answer + size, sizeof answer - 1 - size, 0);
        if (got <= 0)
            give_up("the supervisor does not answer");
        size += got;
    }
    for (char *word = strtok(answer, " \n"); word && count < WORDS; word = strtok(NULL, " \n"))
        words[count++] = word;
    if (count < 3)
        give_up("the supervisor does not know of a testbench");
    take_data(words[1]);
    mkdir(DATA, 0700);
    return 1;
}

static void begin(void) {
    tell("{\"closed\": \"%s\"}\n", lock() ? "harness" : "nothing");
}

static void end(const char *how) {
    tell("{\"ended\": \"%s\"}\n", how);
}

#ifdef VERILATOR

/* For watch.c, whatever the functions are called. */
const char benchwright_channel = 1;

__attribute__((constructor)) static void start(void) {
    if (!connect_to_supervisor())
        give_up("there is no supervisor");
    begin();
}

void benchwright_say(int flags, const char *text) {
    printf("%s%s", text, flags & 1 ? "\n" : "");
    say(flags & 1, flags & 2, text);
}

void benchwright_data(int shown) {
    show_data(shown);
}

void benchwright_end(int finished) {
    end(finished ? "finish" : "quiet");
}

#else

#include <vpi_user.h>

/* Whether a call is in the testbench: its scope's module, package or interface is one of those named. */
static void check(void) {
    vpiHandle scope = vpi_handle(vpiScope, vpi_handle(vpiSysTfCall, 0)), outer;
    while (scope) {
        int type = vpi_get(vpiType, scope);
        const char *name = vpi_get_str(type == vpiModule ? vpiDefName : vpiName, scope);
        if (type == vpiModule || !(outer = vpi_handle(vpiScope, scope))) {
            int at = 2;
            while (at < count && strcmp(words[at], "--"))
                at++;
            while (++at < count)
                if (name && strcmp(words[at], name) == 0)
                    return;
            break;
        }
        scope = outer;
    }
    tell("{\"strange\": \"a record from outside the testbench\"}\n");
    give_up("a record from outside the testbench");
}

static PLI_INT32 compiled(PLI_BYTE8 *data) {
    check();
    return 0;
}

static vpiHandle argument(vpiHandle arguments, s_vpi_value *value, int format) {
    vpiHandle found = vpi_scan(arguments);
    value->format = format;
    vpi_get_value(found, value);
    return found;
}

static PLI_INT32 called_say(PLI_BYTE8 *data) {
    vpiHandle arguments = vpi_iterate(vpiArgument, vpi_handle(vpiSysTfCall, 0));
    s_vpi_value value;
    check();
    argument(arguments, &value, vpiIntVal);
    int flags = value.value.integer;
    argument(arguments, &value, vpiStringVal);
    vpi_printf("%s%s", value.value.str, flags & 1 ? "\n" : "");
    say(flags & 1, flags & 2, value.value.str);
    vpi_free_object(arguments);
    return 0;
}

static PLI_INT32 called_data(PLI_BYTE8 *data) {
    vpiHandle arguments = vpi_iterate(vpiArgument, vpi_handle(vpiSysTfCall, 0));
    s_vpi_value value;
    check();
    argument(arguments, &value, vpiIntVal);
    show_data(value.value.integer);
    vpi_free_object(arguments);
    return 0;
}

static PLI_INT32 called_end(PLI_BYTE8 *data) {
    check();
    end("finish");
    return 0;
}

/* Nothing was left to do before this time came. */
static PLI_INT32 quiet(struct t_cb_data *data) {
    end("quiet");
    vpi_control(vpiFinish, 0);
    return 0;
}

static PLI_INT32 loaded(struct t_cb_data *data) {
    begin();
    return 0;
}

static PLI_INT32 starts(struct t_cb_data *data) {
    static s_vpi_time never = {.type = vpiSimTime, .high = 0x40000000};
    s_cb_data last = {.reason = cbAfterDelay, .cb_rtn = quiet, .time = &never};
    vpi_register_cb(&last);
    return 0;
}

static void add(const char *what, PLI_INT32 (*call)(PLI_BYTE8 *)) {
    char name[128];
    snprintf(name, sizeof name, "$%s_%s", words[0], what);
    s_vpi_systf_data task = {.type = vpiSysTask, .tfname = name, .calltf = call, .compiletf = compiled};
    vpi_register_systf(&task);
}

static void start(void) {
    s_cb_data end_of_compile = {.reason = cbEndOfCompile, .cb_rtn = loaded};
    s_cb_data start_of_simulation = {.reason = cbStartOfSimulation, .cb_rtn = starts};
    if (!connect_to_supervisor())
        give_up("there is no supervisor");
    add("say", called_say);
    add("data", called_data);
    add("end", called_end);
    vpi_register_cb(&end_of_compile);
    vpi_register_cb(&start_of_simulation);
}

void (*vlog_startup_routines[])(void) = {start, NULL};

#endif
