/* ilinject.h - the public C interface: open and walk assemblies, instrument them, report profiles.
 *
 * Life cycle: make a context, open images or run jobs with it, free what was opened, free the context. A context and
 * what was opened with it belong to one thread at a time; different contexts are independent. Strings are UTF-8.
 *
 * Errors: a function that can fail returns an ilj_status and writes its results through its leading out-parameters,
 * which stay untouched on failure. A failure is reported once, as a diagnostic, to the context's sink.
 *
 * Options: a struct of options begins with its size in the caller, and the rest may be 0. A later library has more
 * options at its end; those that the caller's struct ends before are 0. A size of 0, or beyond this library's, is
 * ILJ_CONFIG (ILJ0800).
 */
#ifndef ILINJECT_H
#define ILINJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ilinject/context.h"
#include "ilinject/contract.h"
#include "ilinject/mcp.h"
#include "ilinject/post.h"
#include "ilinject/serve.h"
#include "ilinject/status.h"
#include "ilinject/tests.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shared library shows the functions of this header, and no other. */
#ifdef __ELF__
#pragma GCC visibility push(default)
#endif

/* The one place of the version: packages, the manual page and the change log are compared with it. */
#define ILJ_VERSION "0.1.0"

/* ---- Selecting methods --------------------------------------------------------------------------------------- */

typedef enum ilj_rule_kind { ILJ_RULE_INCLUDE, ILJ_RULE_EXCLUDE } ilj_rule_kind;

/* A pattern of docs/configuration.md, "Selection". The last rule that matches a method decides; where none does, a
 * method is left out when the first rule is an include. */
typedef struct ilj_rule {
    ilj_rule_kind kind;
    const char *pattern;
} ilj_rule;

typedef enum ilj_choice { ILJ_UNSET = 0, ILJ_NO, ILJ_YES } ilj_choice;

/* All zero but the size: every method with a body. */
typedef struct ilj_selection_options {
    size_t size;                /* sizeof(ilj_selection_options) */
    const char *const *configs; /* paths of configuration files, in order; their rules come before those below */
    size_t config_count;
    const ilj_rule *rules; /* in order */
    size_t rule_count;
    uint32_t min_il_size;              /* bytes of IL; what has fewer is left out. 0: as the file says */
    ilj_choice skip_trivial_accessors; /* leave out getters and setters of a field; unset: as the file says, else no */
    ilj_choice compiler_generated;     /* instrument what compilers made; unset: as the file says, else yes */
    const char *const *captures;       /* "PATTERN: WORDS" of docs/capture.md: calls that are seen with their values */
    size_t capture_count;
    const char *const *masks; /* names whose values are not shown, with * for any characters; !NAME is shown */
    size_t mask_count;
    const char *const *leaves; /* lists of patterns, parted by commas, of methods that are not instrumented: calls of
                                  them are recorded as leaves (docs/leaves.md); "" or "default": the default set */
    size_t leaf_count;
    unsigned overhead;   /* percent of processor time that instrumenting may cost, 1 to 1000; 0: anything. Methods that
                            cost most for what they tell are left out; outputs ask the tracker to hold it */
    bool compiled_again; /* code that was compiled ahead is made again: leaving a method out saves no compiling */
    const char *const *profiles; /* of earlier runs, with which that is chosen by counts; without, by the methods' IL */
    size_t profile_count;
    const char *const *roots; /* patterns of methods: each call is a tree of its own, as that of a test is */
    size_t root_count;
} ilj_selection_options;

/* A choice of methods, for any number of images. It remembers which patterns matched, so it belongs to one thread at a
 * time. */
typedef struct ilj_selection ilj_selection;

/* Copies what it is given. Returns ILJ_OK, ILJ_CONFIG (a pattern or the file is wrong), ILJ_IO, ILJ_UNSUPPORTED (the
 * library that reads the file is missing), ILJ_NO_MEMORY. */
ilj_status ilj_selection_new(ilj_selection **selection, ilj_context *context, const ilj_selection_options *options);
void ilj_selection_free(ilj_selection *selection);

/* A copy for another thread: it knows what the first has met so far, and remembers by itself what it meets. The first
 * lends to it, and has to outlive it. Returns ILJ_OK, ILJ_NO_MEMORY (not reported). */
ilj_status ilj_selection_copy(ilj_selection **copy, const ilj_selection *selection);

/* Adds what the copy has met to the selection that it was made from. Copies for an image each, merged in the order of
 * the images, leave it as if it had been asked about all. Without memory, a name that was perhaps meant is lost. */
void ilj_selection_merge(ilj_selection *selection, const ilj_selection *copy);

/* After the last image: says which patterns matched no method, with the name probably meant. Returns the number of
 * includes among them. */
uint32_t ilj_selection_check(const ilj_selection *selection, ilj_context *context);

/* ---- Walking an assembly ------------------------------------------------------------------------------------- */

/* An opened .NET image, mapped and never changed. */
typedef struct ilj_image ilj_image;

/* Returns ILJ_OK, ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_IO, ILJ_NO_MEMORY. The image must be freed before its context. */
ilj_status ilj_image_open(ilj_image **image, ilj_context *context, const char *path);
void ilj_image_free(ilj_image *image);

/* Is it a module without a manifest? The assembly's manifest, in another file, has its hash, and so is instrumented
 * after it, into the same folder. */
bool ilj_image_is_netmodule(const ilj_image *image);

typedef enum ilj_dump_part {
    ILJ_DUMP_HEADERS = 1,
    ILJ_DUMP_HEAPS = 2,
    ILJ_DUMP_TABLES = 4,
    ILJ_DUMP_IL = 8,
    ILJ_DUMP_READY_TO_RUN = 16, /* native code that was compiled ahead */
    ILJ_DUMP_ALL = 31,
} ilj_dump_part;

/* Writes image, tables and IL as text: the language of the tests. `parts` is a set of ilj_dump_part.
 * Returns ILJ_OK, ILJ_BAD_FILE (what could be read was written), ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_image_dump(ilj_image *image, unsigned parts, ilj_write_fn *write, void *user);

typedef enum ilj_list_format { ILJ_LIST_TEXT, ILJ_LIST_JSON } ilj_list_format;
/* Writes every type and method: token, IL size, what becomes of it, the rule that decided. `selection` may be NULL.
 * Returns ILJ_OK, ILJ_BAD_FILE, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_image_list(ilj_image *image, ilj_list_format format, ilj_selection *selection, ilj_write_fn *write,
                          void *user);

/* ---- Instrumenting ------------------------------------------------------------------------------------------- */

/* Why a method, or a whole input, was left out. The names for people come from ilj_reason_text. */
typedef enum ilj_reason {
    ILJ_INSTRUMENT = 0, /* not left out */
    ILJ_ABSTRACT,
    ILJ_EXTERN,  /* P/Invoke */
    ILJ_RUNTIME, /* delegates: the runtime supplies the body */
    ILJ_INTERNAL_CALL,
    ILJ_UNMANAGED,
    ILJ_REFERENCE_ASSEMBLY,
    ILJ_HELPER,   /* put there by an earlier instrumenting */
    ILJ_NO_BODY,  /* RVA 0 without any of the above */
    ILJ_BAD_BODY, /* cannot be understood: copied as it is */
    ILJ_EXCLUDED, /* by a rule of the selection, or an attribute */
    ILJ_TOO_SMALL,
    ILJ_TRIVIAL_ACCESSOR,
    ILJ_COMPILER_GENERATED,
    ILJ_CALLED_OFTEN,   /* of those with which the price that was asked for would not be kept, by a profile's counts */
    ILJ_LIKELY_INLINED, /* likewise, by its IL: a just-in-time compiler puts it into its callers */
    ILJ_RESOLVER,       /* it finds assemblies for the program, perhaps the tracker, too */
    ILJ_REASON_COUNT,
} ilj_reason;

const char *ilj_reason_text(ilj_reason reason);

/* The shape of what is injected (docs/decisions/04-injected-code.md). */
typedef enum ilj_exits {
    ILJ_EXITS_DEFAULT = 0, /* as the configuration file says, else guarded */
    ILJ_EXITS_GUARDED,     /* leaving by an exception is seen, too */
    ILJ_EXITS_RET,         /* calls before ret alone: the smallest */
} ilj_exits;

/* How much the guarded shape tells of exceptions. */
typedef enum ilj_exceptions {
    ILJ_EXCEPTIONS_DEFAULT = 0, /* as the configuration file says, else paths */
    ILJ_EXCEPTIONS_PATHS,       /* through which methods they went, and which caught them */
    ILJ_EXCEPTIONS_FULL,        /* the search for a handler as well; needs a runtime that takes filters */
} ilj_exceptions;

/* libilinject_clock.so beside the outputs, through which the tracker reads fast clocks (docs/configuration.md). */
typedef enum ilj_native_clock {
    ILJ_NATIVE_CLOCK_DEFAULT = 0, /* this machine's, where `settings` choose a clock that stands in it */
    ILJ_NATIVE_CLOCK_HOST,        /* this machine's */
    ILJ_NATIVE_CLOCK_X64,
    ILJ_NATIVE_CLOCK_ARM64,
} ilj_native_clock;

/* The code of a ReadyToRun image, which was compiled ahead. */
typedef enum ilj_native {
    ILJ_NATIVE_DEFAULT = 0, /* kept, unless hardly a method would keep it */
    ILJ_NATIVE_KEEP,        /* methods that are not instrumented, nor have inlined one that is, keep theirs; where that
                               is not sure for an image, all of it is dropped */
    ILJ_NATIVE_DROP,        /* the output has none */
} ilj_native;

/* Remembers of the folder of the last output that the tracker stands there, and which deps.json files, so that the
 * thousandth output there looks up no more than the first. For jobs with the same tracker and settings, written in one
 * thread; changes that other programs make there meanwhile may be missed. */
typedef struct ilj_outputs ilj_outputs;

/* Returns ILJ_OK, ILJ_NO_MEMORY (not reported). */
ilj_status ilj_outputs_new(ilj_outputs **outputs);
void ilj_outputs_free(ilj_outputs *outputs);

/* Told before the first pass over `input` (`pass` is NULL) and after each. `held_bytes`: the memory that its results
 * take at that point. The strings are static, or the caller's own. */
typedef void ilj_trace_fn(void *user, const char *input, const char *pass, uint64_t held_bytes);

typedef struct ilj_instrument_options {
    size_t size;              /* sizeof(ilj_instrument_options) */
    const char *tracker;      /* path of a tracker assembly; NULL: the built-in one */
    const char *tracker_type; /* full name; NULL: Instrumenter.ProfileInfoTracker */
    ilj_selection *selection; /* NULL: every method with a body */
    ilj_exits exits;          /* a rule of the selection that says otherwise has its way */
    ilj_exceptions exceptions;
    bool counts;        /* count calls, and nothing else: no times, no tree, no shape of exits; or its file says so */
    bool allocations;   /* count objects where they are allocated, too; or its file says so. Not with counts */
    bool command_texts; /* tell leaves that are calls of ADO.NET's commands apart by their texts, which the tracker
                           masks; or its file says so. With leaves of the selection */
    bool spans;         /* calls become spans of System.Diagnostics (docs/exports.md), and no profile is made */
    const char *const *settings; /* of the tracker, each "name=value", which the output brings with it */
    size_t setting_count;
    ilj_native_clock native_clock;
    ilj_native native;
    bool in_place; /* output replaces the input */
    bool keep_mvid;
    bool force;               /* also what is instrumented already, a reference assembly, or Windows metadata */
    bool dry_run;             /* do everything but write */
    const char *key;          /* path of a .snk or .pfx file, with which strong-named outputs are signed; NULL: none */
    const char *key_password; /* for a .pfx file; NULL: none is given */
    bool key_where_it_fits;   /* for one of a set: no key for an input without a strong name, or with another key's */
    bool delay_sign;          /* leave the signature as zeros, and the image marked as not signed */
    bool clear_signed_flag;   /* without a key: no longer mark as signed what is */
    bool runs_here;           /* .NET of this machine runs the outputs: the tracker may be one compiled for it */
    ilj_outputs *outputs;     /* NULL: each output is written as if it were the first */
    ilj_trace_fn *trace;      /* called in the thread that works on the input; NULL: nobody asks */
    void *trace_user;
} ilj_instrument_options;

/* Is "name=value" a setting that the built-in tracker knows and can use? Else `problem` says what is wrong. */
enum { ILJ_SETTING_PROBLEM = 512 };
bool ilj_setting_check(char problem[ILJ_SETTING_PROBLEM], const char *setting);

/* The outcome for one input. */
typedef enum ilj_outcome {
    ILJ_OUTCOME_FAILED = 0,
    ILJ_OUTCOME_INSTRUMENTED,
    ILJ_OUTCOME_COPIED, /* nothing to do: copied through byte for byte; `skip_reason` says why */
} ilj_outcome;

typedef struct ilj_summary {
    ilj_outcome outcome;
    const char *skip_reason; /* for ILJ_OUTCOME_COPIED: a static string; else NULL */
    uint32_t methods;        /* rows of MethodDef */
    uint32_t instrumented;
    uint32_t left_out[ILJ_REASON_COUNT];
    uint64_t input_bytes;
    uint64_t output_bytes;
    bool key_fits;                        /* a key was given, and is that of the assembly */
    uint32_t native_methods, native_kept; /* that had native code which was compiled ahead, and that keep it; 0 when all
                                             of it was dropped */
    uint16_t ready_to_run; /* the header's Machine of an image that lost its native code, which can be made again */
} ilj_summary;

/* Reads `input`, instruments it and writes `output` (a file; may equal `input` only with in_place), the tracker beside
 * it, and what a host needs beside it (runtimeconfig.json, .config, deps.json). The output appears whole or not at all.
 * `summary` is always filled. Returns any status; on failure no output is left and what stood there is unharmed. */
ilj_status ilj_instrument(ilj_summary *summary, ilj_context *context, const char *input, const char *output,
                          const ilj_instrument_options *options);

/* Writes, for people, what instrumenting with `options` does with each method that `methods` names, a pattern or
 * token ("0x06000012"): the rule that decided, the ways out, what is put into the body, which calls are leaves,
 * how many places count objects. Returns what ilj_instrument returns; ILJ_CONFIG also when no method has such a name.
 */
ilj_status ilj_image_explain(ilj_image *image, const char *methods, const ilj_instrument_options *options,
                             ilj_write_fn *write, void *user);

/* Writes where each piece of such an output lies, and where it lay. Returns what ilj_instrument returns. */
ilj_status ilj_image_plan(ilj_image *image, const ilj_instrument_options *options, ilj_write_fn *write, void *user);

/* ilj_instrument in two steps, for several inputs at once: the first takes the time, in any number of threads; the
 * second changes files, also beside other outputs, so it has its order and one thread. A job belongs to one thread at
 * a time, with its context and the selection. */
typedef struct ilj_job ilj_job;

/* Makes the output in memory. *job is for the caller to free, before the context; until then it borrows the strings,
 * all that the options point to but the selection, and the summary, which is filled in any case. Returns any
 * status; without ILJ_OK there is no job. */
ilj_status ilj_job_make(ilj_job **job, ilj_summary *summary, ilj_context *context, const char *input,
                        const char *output, const ilj_instrument_options *options);

/* Writes it, once. Returns any status; on failure no output is left, the old file is unharmed, the summary says so. */
ilj_status ilj_job_write(ilj_job *job);
void ilj_job_free(ilj_job *job);

typedef void ilj_path_fn(void *user, const char *path);
/* Names the existing files that decide the output of `input`, but for those of the options: itself, its symbols, the
 * assembly's modules, those that a host reads; one perhaps twice. Returns ILJ_OK, ILJ_NO_MEMORY. */
ilj_status ilj_files_read(ilj_context *context, const char *input, ilj_path_fn *visit, void *user);

/* ---- Applications -------------------------------------------------------------------------------------------- */

typedef enum ilj_host {
    ILJ_HOST_MONO,     /* mono ENTRY */
    ILJ_HOST_DOTNET,   /* dotnet ENTRY */
    ILJ_HOST_LAUNCHER, /* ENTRY itself */
} ilj_host;

/* A program with what stands in its folder. File names, without the folder, in the order of their bytes. */
typedef struct ilj_application {
    ilj_host host;
    const char *folder;
    const char *entry;      /* what is started */
    const char *assembly;   /* that holds its entry point; often the same */
    bool instrumented;      /* that assembly is, already */
    const char *const *own; /* assemblies of no package or framework, by the deps.json, else by their names: those
                               that the program can load, by what they refer to and name */
    size_t own_count;
} ilj_application;

/* Finds the program at `path`: an assembly with an entry point, a launcher beside its assembly, or a folder with one
 * program. *app is for the caller to free, before the context; NULL: something else, a command perhaps. `arguments` are
 * the program's: it can load an assembly that they name. With `all`, every assembly of the folder counts as its own.
 * Returns ILJ_OK, ILJ_BAD_FILE (an assembly or folder, but no program), ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_application_find(ilj_application **app, ilj_context *context, const char *path,
                                const char *const *arguments, size_t argument_count, bool all);
void ilj_application_free(ilj_application *app);

typedef void ilj_staged_fn(void *user, const char *input, const ilj_summary *summary);
/* Fills `folder`, which is empty, so that the application runs there: its own assemblies instrumented, links to all
 * else. Assemblies that can't be instrumented are reported and linked. Returns ILJ_OK, ILJ_CONFIG (the options' size),
 * ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_application_stage(const ilj_application *app, ilj_context *context, const char *folder,
                                 const ilj_instrument_options *options, ilj_staged_fn *staged, void *user);

/* ---- Folders ------------------------------------------------------------------------------------------------- */

/* The kind of a folder's entry decides what becomes of it in a copy. */
typedef enum ilj_entry_kind {
    ILJ_ENTRY_FOLDER,
    ILJ_ENTRY_LINK,       /* a symbolic link, made again */
    ILJ_ENTRY_FILE,       /* copied, as the next two are */
    ILJ_ENTRY_FOREIGN,    /* an assembly of a package or framework; the core library in any case */
    ILJ_ENTRY_SATELLITE,  /* an assembly of one culture's resources */
    ILJ_ENTRY_ASSEMBLY,   /* an assembly or module, to be instrumented */
    ILJ_ENTRY_BUNDLE,     /* a single-file program: neither copied nor instrumented */
    ILJ_ENTRY_UNREADABLE, /* perhaps an assembly, or it holds some: neither copied nor instrumented */
    ILJ_ENTRY_KINDS,
} ilj_entry_kind;

typedef struct ilj_entry {
    const char *name; /* from the folder, with slashes: "de/app.resources.dll" */
    ilj_entry_kind kind;
    const char *target; /* of an ILJ_ENTRY_LINK, in a copy of the folder; else NULL */
} ilj_entry;

/* All that stands in a folder and below. Folders come before what is in them; of one folder in the order of bytes. */
typedef struct ilj_folder {
    const char *path; /* as the caller named it */
    const ilj_entry *entries;
    size_t entry_count;
    size_t counts[ILJ_ENTRY_KINDS];
} ilj_folder;

/* *folder is for the caller to free. An assembly is to be instrumented when it is of no package and no framework, as
 * far as the deps.json files beside and above it tell; where there is none beside it, its name has to be no
 * framework's. With `all`, every assembly is. Single-file programs, and what cannot be read, are reported as errors,
 * and only reported. `in_place`: the folder is to be its own output, so a link to a file elsewhere stays a link, and is
 * reported when it may be an assembly. Returns ILJ_OK, ILJ_IO (the folder itself cannot be read), ILJ_NO_MEMORY. */
ilj_status ilj_folder_read(ilj_folder **folder, ilj_context *context, const char *path, bool all, bool in_place);
void ilj_folder_free(ilj_folder *folder);

typedef void ilj_copied_fn(void *user, size_t done, size_t count);
/* Makes `output`, a folder that is there, hold all entries that are copied, made again or folders, each whole or not at
 * all; a file with the same bytes is not written again, and other files there stay. The assemblies are for
 * ilj_instrument to write, afterwards. An entry that cannot be copied is reported, and the others are copied; `copied`
 * is called after each entry. Returns ILJ_OK, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_folder_copy(const ilj_folder *folder, ilj_context *context, const char *output, ilj_copied_fn *copied,
                           void *user);

/* Removes what a process that was killed has left in the folder itself. Returns ILJ_OK, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_folder_tidy(const ilj_folder *folder, ilj_context *context);
/* The same for an output's folder ("" is this one). Files that other processes are writing there stay. */
void ilj_output_tidy(const char *folder);

/* ---- Archives ------------------------------------------------------------------------------------------------ */

typedef enum ilj_archive_kind {
    ILJ_ARCHIVE_NONE,
    ILJ_ARCHIVE_ZIP,
    ILJ_ARCHIVE_XAP,   /* of Silverlight or Windows Phone */
    ILJ_ARCHIVE_NUPKG, /* a NuGet package */
} ilj_archive_kind;

/* By the extension of the name, else by the first bytes of the file. */
ilj_archive_kind ilj_archive_kind_of(const char *path);

/* An archive that is opened; after the first part the zips that a XAP names as its ExtensionParts and that stand
 * beside it. Each is unpacked into a folder of its own, as far as it is to be changed. */
typedef struct ilj_archive_part {
    const char *path;              /* of the archive */
    const char *output;            /* where it is to be written; NULL: nowhere */
    const char *from;              /* the folder with what was unpacked */
    const char *to;                /* the folder for what ilj_instrument makes of it, with the same names below */
    const char *const *assemblies; /* to be instrumented: names from the folder, with slashes */
    size_t assembly_count;
    const char *const *refused; /* single-file programs, and what cannot be read */
    size_t refused_count;
    size_t counts[ILJ_ENTRY_KINDS]; /* of what is in the archive */
} ilj_archive_part;

typedef struct ilj_archive {
    ilj_archive_kind kind;
    const ilj_archive_part *parts; /* at least one */
    size_t part_count;
} ilj_archive;

/* Opens and unpacks, into `folder`, which is made; the caller removes it. The assemblies are those that a XAP's
 * manifest names, or that a NuGet package brings for its users; those of frameworks only with `all`. An ExtensionPart
 * whose output would replace its input is left alone, but where `output` is `path`, too. An archive that is not safe
 * to unpack (paths that lead elsewhere, overlapping entries, bombs) is refused as a whole. *archive is for the caller
 * to free, before the context. Returns ILJ_OK, ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_archive_open(ilj_archive **archive, ilj_context *context, const char *path, const char *output,
                            const char *folder, bool all);

/* Writes the outputs, each whole or not at all: what stands in `to` and differs takes the place of the entry, what is
 * new is added (to a XAP the tracker alone, with its AssemblyPart), all else stays byte for byte; where nothing
 * differs, the whole archive does. Returns ILJ_OK, ILJ_IO, ILJ_BUG, ILJ_UNSUPPORTED, ILJ_NO_MEMORY. */
ilj_status ilj_archive_write(const ilj_archive *archive, ilj_context *context);
void ilj_archive_free(ilj_archive *archive);

/* Writes the built-in tracker to `path`. Returns ILJ_OK, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_tracker_write(ilj_context *context, const char *path);

/* ---- Reporting ----------------------------------------------------------------------------------------------- */

/* The formats (docs/exports.md) and their names, for enumerations and tables: FIRST(id, name) NEXT(id, name)... */
#define ILJ_REPORT_FORMATS(FIRST, NEXT)                                                                                \
    FIRST(TEXT, "text")              /* tables for people */                                                           \
    NEXT(CALLTREE, "calltree")       /* the whole call tree for people */                                              \
    NEXT(TREE, "tree")               /* the historic one: NAME took N, four spaces a level */                          \
    NEXT(CALLLOG, "calllog")         /* the historic log of calls with its summary of functions */                     \
    NEXT(JSON, "json")               /* all there is */                                                                \
    NEXT(CSV, "csv")                 /* the functions */                                                               \
    NEXT(SPEEDSCOPE, "speedscope")   /* speedscope's own JSON */                                                       \
    NEXT(CHROME, "chrome")           /* Chrome's trace events, of a timeline */                                        \
    NEXT(COLLAPSED, "collapsed")     /* a stack a line, for flame graphs */                                            \
    NEXT(CALLGRIND, "callgrind")     /* for KCachegrind, callgrind_annotate */                                         \
    NEXT(PPROF, "pprof")             /* profile.proto in gzip: binary */                                               \
    NEXT(CPUPROFILE, "cpuprofile")   /* Chrome's and VS Code's: opened beside the source */                            \
    NEXT(MIBC, "mibc")               /* for compilers ahead of time: the methods that were called, an assembly */      \
    NEXT(HTML, "html")               /* a page with flame graph and tables */                                          \
    NEXT(SUGGESTIONS, "suggestions") /* a configuration: the methods left out whose probes cost the most */            \
    NEXT(ROWS, "rows")               /* runs, methods, paths and nodes, a JSON object a line, for databases */         \
    NEXT(ROWS_CSV, "rows-csv")       /* the same as CSV */                                                             \
    NEXT(COBERTURA, "cobertura")     /* which methods were called, as Cobertura's XML */                               \
    NEXT(LCOV, "lcov")               /* the same as lcov's tracefile */                                                \
    NEXT(OTLP, "otlp")               /* OpenTelemetry's profiles, the body of a request: binary */                     \
    NEXT(PROMETHEUS, "prometheus")   /* the methods with the most time, as Prometheus' text format 0.0.4 */

#define ILJ_FORMAT_ID(id, name) ILJ_REPORT_##id,
typedef enum ilj_report_format {
    ILJ_REPORT_FORMATS(ILJ_FORMAT_ID, ILJ_FORMAT_ID) ILJ_REPORT_FORMAT_COUNT
} ilj_report_format;
#undef ILJ_FORMAT_ID

/* A row of the text's table stands for one of these. */
typedef enum ilj_report_by {
    ILJ_BY_FUNCTION,
    ILJ_BY_TYPE,
    ILJ_BY_NAMESPACE,
    ILJ_BY_ASSEMBLY,
    ILJ_BY_THREAD,
    ILJ_BY_PART, /* methods' own code, and leaves by what they are about */
    ILJ_BY_TEST, /* calls by a test framework, with all below them (ilinject/tests.h) */
} ilj_report_by;

/* The text after the head. */
typedef enum ilj_report_view {
    ILJ_VIEW_DEFAULT, /* functions, exceptions, async methods, the larger part of the call tree */
    ILJ_VIEW_FUNCTIONS,
    ILJ_VIEW_TREE,
    ILJ_VIEW_CALLERS, /* of the first functions, or of those that the filter wants: from where they were called */
    ILJ_VIEW_HOT,     /* the path that took most of the time */
    ILJ_VIEW_EXCEPTIONS,
    ILJ_VIEW_ASYNC,
    ILJ_VIEW_CALLS,   /* those that were seen with their values */
    ILJ_VIEW_OBJECTS, /* by type, and the places that allocated them */
    ILJ_VIEW_BRIEF,   /* at most twelve lines: the head's five, the hot path, what dominates */
    ILJ_VIEW_NEVER,   /* methods that were never called */
} ilj_report_view;

/* What rows are sorted by, and the names of their choices; figures of src/facts/figures.def, and the name. */
#define ILJ_SORT_KEYS(FIRST, NEXT)                                                                                     \
    FIRST(TIME, "time") /* the own time, working and blocked */                                                        \
    NEXT(EXCLUSIVE, "exclusive")                                                                                       \
    NEXT(INCLUSIVE, "inclusive")                                                                                       \
    NEXT(CALLS, "calls")                                                                                               \
    NEXT(AVERAGE, "average")                                                                                           \
    NEXT(NAME, "name")                                                                                                 \
    NEXT(MAX, "max")                 /* the longest call */                                                            \
    NEXT(WAITING, "waiting")         /* the time in which threads were blocked in the function's own code */           \
    NEXT(BYTES, "bytes")             /* the bytes that the function's own code has allocated */                        \
    NEXT(OBJECTS, "objects")         /* the objects */                                                                 \
    NEXT(COLLECTIONS, "collections") /* the garbage collections while the function's own code ran */                   \
    NEXT(PAUSE, "pause")             /* for how long these held up the program */

#define ILJ_SORT_ID(id, name) ILJ_SORT_##id,
typedef enum ilj_sort_key { ILJ_SORT_KEYS(ILJ_SORT_ID, ILJ_SORT_ID) ILJ_SORT_KEY_COUNT } ilj_sort_key;
#undef ILJ_SORT_ID

/* The cost of the probes themselves, which is taken off the recorded times. */
typedef enum ilj_offset {
    ILJ_OFFSET_CALIBRATED, /* what the tracker has measured, where it has */
    ILJ_OFFSET_NONE,
    ILJ_OFFSET_ARTICLE, /* two mean readings of the clock for each call below, even below 0: text, tree, JSON */
} ilj_offset;

/* The weight of a stack in ILJ_REPORT_COLLAPSED. */
#define ILJ_WEIGHTS(FIRST, NEXT)                                                                                       \
    FIRST(TIME, "time")                                                                                                \
    NEXT(BYTES, "bytes")                                                                                               \
    NEXT(OBJECTS, "objects")                                                                                           \
    NEXT(COLLECTIONS, "collections")                                                                                   \
    NEXT(PAUSE, "pause")

#define ILJ_WEIGHT_ID(id, name) ILJ_WEIGHT_##id,
typedef enum ilj_weight { ILJ_WEIGHTS(ILJ_WEIGHT_ID, ILJ_WEIGHT_ID) ILJ_WEIGHT_COUNT } ilj_weight;
#undef ILJ_WEIGHT_ID

typedef struct ilj_report_options {
    size_t size; /* sizeof(ilj_report_options) */
    ilj_report_format format;
    ilj_sort_key sort;
    uint32_t top;   /* rows of the function table; 0: all */
    unsigned width; /* columns of the terminal; 0: unlimited */
    bool color;     /* ANSI colours */
    bool raw_names; /* metadata names; MoveNext apart from the method that the user wrote */
    bool threads;   /* a call tree of each thread; in JSON, speedscope, callgrind and pprof always */
    ilj_offset offset;
    bool physical;             /* slices of async methods stay where they ran; with raw_names always */
    bool async;                /* also the logical call tree of async methods; in JSON always */
    ilj_weight weight;         /* of collapsed stacks */
    const char *const *before; /* profiles that a page compares with; other formats pass over them */
    size_t before_count;
    unsigned overhead; /* of the suggestions: what instrumenting may cost; 0: the methods whose probes cost the most */
    /* For the text alone: */
    ilj_report_view view;
    ilj_report_by by;
    bool helpers;                /* also functions that nobody wrote: closures' constructors, plumbing of iterators */
    const char *columns;         /* of the table, comma-separated; NULL: those that fit */
    const char *const *patterns; /* only functions that one of them names; in the tree, paths to and below them */
    size_t pattern_count;
    bool thrown;        /* of ILJ_VIEW_CALLS: only calls that an exception left ... */
    uint64_t slower_ns; /* ... that took at least as long ... */
    const char *value;  /* ... in whose text this stands; NULL: all */
    uint64_t idle;      /* 1: rows and paths of what only waits, in text and page; 0: they are one line */
    uint64_t verbose;   /* 1: the whole head, before each view, and ranges however narrow it is; 0: five lines */
    /* "FROM=TO" each: what replaces the beginning of compilers' paths; the longest that fits counts. */
    const char *const *sources;
    size_t source_count;
    uint64_t lines; /* 1: names have file and line as far as there is room; 0: if width > 120 those that leave room */
    /* For JSON alone: */
    uint64_t compact;              /* 1: the nodes of trees in columns, version 2; 0: an object each, version 1 */
    const char *const *assemblies; /* for MIBC: files or folders of what was profiled; the profiles' own come after */
    size_t assembly_count;
    const char *const *where; /* only profiles of runs with these labels, "NAME=VALUE" each; `before` as they are */
    size_t where_count;
    const ilj_test_questions *tests; /* questions about tests; NULL: none */
    uint64_t with_source;            /* 1: a page has the lines around each method, of files that can be read */
    const char *const *counted;      /* profiles of a run that counted, of the same work: is this one's much less? */
    size_t counted_count;
} ilj_report_options;

/* Reads the profiles, merges them and writes one report. Returns ILJ_OK, ILJ_CONFIG, ILJ_BAD_FILE, ILJ_IO,
 * ILJ_NO_MEMORY. */
ilj_status ilj_report(ilj_context *context, const char *const *profiles, size_t profile_count,
                      const ilj_report_options *options, ilj_write_fn *write, void *user);

/* ---- Merging ------------------------------------------------------------------------------------------------- */

/* Any number of profiles, of processes, machines or days, folded into one, in memory by what comes out. The bytes are
 * the same in whatever order profiles are added, and however they were merged before. */
typedef struct ilj_merge ilj_merge;

/* *merge must be freed before its context. Returns ILJ_OK, ILJ_NO_MEMORY (not reported). */
ilj_status ilj_merge_new(ilj_merge **merge, ilj_context *context);
void ilj_merge_free(ilj_merge *merge);

/* Adds the profile at `path`, whose file is not used afterwards. Returns ILJ_OK; ILJ_BAD_FILE, ILJ_UNSUPPORTED or
 * ILJ_IO, which leave the merge as it was; ILJ_NO_MEMORY, which ends it. */
ilj_status ilj_merge_add(ilj_merge *merge, const char *path);

/* Writes the profile; more may be added afterwards. Returns ILJ_OK, ILJ_UNSUPPORTED (too many methods), ILJ_IO (the
 * function refused it), ILJ_NO_MEMORY. */
ilj_status ilj_merge_write(ilj_merge *merge, ilj_write_fn *write, void *user);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
