/* A driver without a card, for tests: its memory is the host's, and no kernel ever runs. What a stream has to
   do is done as late as the driver may: when the host waits for it, or for something that waits for it. What is
   to go wrong is told by FAKE_CUDA ("idle": nothing fires). FAKE_CUDA_CAPABILITY is the card's (90), FAKE_CUDA_PTX a folder for what it is
   given to assemble, FAKE_CUDA_REGISTERS how many registers each thread takes (32), FAKE_CUDA_LOG a file that what it is asked for is noted in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, OUT_OF_MEMORY = 2, NO_DEVICE = 100, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719, TOO_LARGE = 720 };

static int is(const char *what) {
    const char *asked = getenv("FAKE_CUDA");
    return asked && !strcmp(asked, what);
}

static void note(const char *what) {
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", what);
        fclose(file);
    }
}

int cuDriverGetVersion(int *version) { *version = is("old") ? 10020 : 12040; return OK; }
int cuInit(unsigned flags) { (void)flags; return is("broken") ? NO_DEVICE : OK; }
int cuDeviceGetCount(int *count) { *count = is("none") ? 0 : 1; return OK; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return OK; }
int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    snprintf(name, (size_t)size, "Pretended Card");
    return OK;
}
int cuDeviceGetAttribute(int *value, int which, int device) {
    (void)device;
    const char *asked = getenv("FAKE_CUDA_CAPABILITY");
    int capability = is("ancient") ? 30 : asked ? atoi(asked) : 90;
    switch (which) {
    case 16: *value = 132; break;   /* processors */
    case 39: *value = 2048; break;  /* threads that one has room for */
    case 75: *value = capability / 10; break;
    case 76: *value = capability % 10; break;
    case 82: *value = 65536; break; /* registers of one */
    default: *value = 0;
    }
    return OK;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 33;
    return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    (void)device;
    note("context");
    *context = (void *)8;
    return OK;
}
static void *current;
int cuCtxSetCurrent(void *context) { current = context; return OK; }
int cuCtxGetCurrent(void **context) { *context = current; return OK; }
int cuDeviceGetDefaultMemPool(void **pool, int device) { (void)device; *pool = (void *)8; return OK; }
int cuMemPoolSetAttribute(void *pool, int which, void *value) {
    (void)pool, (void)which, (void)value;
    return OK;
}
static void keep(const char *text) {
    static int count;
    const char *folder = getenv("FAKE_CUDA_PTX");
    char name[1000];
    if (!folder)
        return;
    snprintf(name, sizeof name, "%s/%d-%d.ptx", folder, (int)getpid(), count++);
    FILE *file = fopen(name, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

int cuModuleLoadData(void **module, const void *image) {
    keep(image);
    if (is("ptx"))
        return 218;
    note(strstr(image, ".target sm_90") ? "sm_90" : "other target");
    *module = (void *)8;
    return OK;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module, (void)name;
    *function = (void *)8;
    return OK;
}
int cuFuncGetAttribute(int *value, int which, void *function) {
    (void)function;
    const char *registers = getenv("FAKE_CUDA_REGISTERS");
    *value = which == 4 ? (registers ? atoi(registers) : 32) : 1024;
    return OK;
}
int cuModuleUnload(void *module) { (void)module; return OK; }
/* A stream: what it has to do, and how much of that is done. */
enum Kind { IN, OUT, SET, FREE, LAUNCH, WAIT };
typedef struct Stream Stream;
typedef struct {
    enum Kind kind;
    uint64_t to, from;
    size_t bytes;
    void *copy; /* of the host's bytes, where they are not pinned */
    Stream *other;
} Operation;
struct Stream {
    Operation *all;
    size_t count, done, room;
    int number;
};
typedef struct {
    Stream *of;
    size_t behind;
} Event;
typedef struct Pinned {
    char *at;
    size_t bytes;
    struct Pinned *next;
} Pinned;
static Pinned *pinned;

static int is_pinned(const void *at) {
    for (Pinned *p = pinned; p; p = p->next)
        if ((const char *)at >= p->at && (const char *)at < p->at + p->bytes)
            return 1;
    return 0;
}
static void run(Stream *stream, size_t until) {
    while (stream->done < until) {
        Operation o = stream->all[stream->done++];
        if (o.kind == IN)
            memcpy((void *)o.to, o.copy ? o.copy : (void *)o.from, o.bytes);
        else if (o.kind == OUT)
            memcpy((void *)o.to, (void *)o.from, o.bytes);
        else if (o.kind == SET)
            memset((void *)o.to, (int)o.from, o.bytes);
        else if (o.kind == FREE)
            free((void *)o.to);
        else if (o.kind == WAIT)
            run(o.other, o.bytes);
        else if (!is("idle"))
            /* Something fires in each kernel that is not to fail otherwise: its results are nobody's. */
            *(int64_t *)o.to = 1;
        free(o.copy);
    }
}
static int later(Stream *stream, Operation o) {
    if (stream->count == stream->room) {
        stream->room = stream->room ? 2 * stream->room : 64;
        stream->all = realloc(stream->all, stream->room * sizeof o);
    }
    stream->all[stream->count++] = o;
    return OK;
}

int cuStreamCreate(void **stream, unsigned flags) {
    static int count;
    (void)flags;
    Stream *made = *stream = calloc(1, sizeof(Stream));
    made->number = count++;
    return OK;
}
int cuStreamSynchronize(void *stream) {
    note("wait");
    run(stream, ((Stream *)stream)->count);
    return is("lost") ? ILLEGAL_ADDRESS : OK;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    (void)flags;
    Event *e = event;
    return e->of ? later(stream, (Operation){.kind = WAIT, .other = e->of, .bytes = e->behind}) : OK;
}
int cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof(Event));
    return OK;
}
int cuEventRecord(void *event, void *stream) {
    note("record");
    *(Event *)event = (Event){stream, ((Stream *)stream)->count};
    return OK;
}
int cuEventSynchronize(void *event) {
    Event *e = event;
    if (e->of)
        run(e->of, e->behind);
    return is("lost") && e->of ? ILLEGAL_ADDRESS : OK;
}
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
    (void)flags;
    if (is("pinned") && bytes >= 1 << 18)
        return OUT_OF_MEMORY;
    Pinned *p = malloc(sizeof *p);
    *p = (Pinned){*at = malloc(bytes), bytes, pinned};
    pinned = p;
    return OK;
}
int cuMemFreeHost(void *at) { (void)at; return OK; }
int cuEventElapsedTime(float *ms, void *begin, void *end) {
    *ms = (float)((Event *)end)->behind - (float)((Event *)begin)->behind;
    return OK;
}
int cuEventDestroy_v2(void *event) { free(event); note("no event"); return OK; }
int cuStreamDestroy_v2(void *stream) { free(stream); return OK; }
int cuMemAllocAsync(uint64_t *at, size_t bytes, void *stream) {
    (void)stream;
    note("allocate");
    if (is("memory") && bytes > 2000)
        return OUT_OF_MEMORY;
    *at = (uint64_t)malloc(bytes);
    return *at ? OK : OUT_OF_MEMORY;
}
int cuMemFreeAsync(uint64_t at, void *stream) { return later(stream, (Operation){.kind = FREE, .to = at}); }
int cuMemsetD8Async(uint64_t at, unsigned char byte, size_t count, void *stream) {
    return later(stream, (Operation){.kind = SET, .to = at, .from = byte, .bytes = count});
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    Operation o = {.kind = IN, .to = to, .from = (uint64_t)from, .bytes = bytes};
    note(is_pinned(from) ? "up, pinned" : "up");
    if (!is_pinned(from))
        o.copy = memcpy(malloc(bytes), from, bytes);
    return later(stream, o);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    note(is_pinned(to) ? "down, pinned" : "down");
    later(stream, (Operation){.kind = OUT, .to = (uint64_t)to, .from = from, .bytes = bytes});
    /* The driver returns when it is there. */
    return is_pinned(to) ? OK : cuStreamSynchronize(stream);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    note("copy");
    return later(stream, (Operation){.kind = OUT, .to = to, .from = from, .bytes = bytes});
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    (void)function, (void)shared, (void)extra;
    char text[200];
    int64_t lo = *(int64_t *)parameters[1], hi = *(int64_t *)parameters[2];
    snprintf(text, sizeof text, "launch %u %u %u of %u %u %u for %ld..%ld", gx, gy, gz, bx, by, bz,
             (long)lo, (long)hi);
    note(text);
    snprintf(text, sizeof text, "stream %d", ((Stream *)stream)->number);
    note(text);
    if (is("launch"))
        return LAUNCH_FAILED;
    return later(stream, (Operation){.kind = LAUNCH, .to = *(uint64_t *)parameters[3]});
}
/* Of a cooperative kernel. */
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *stream, void **parameters) {
    note("together");
    if (is("small") && gx > 1)
        return TOO_LARGE;
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, 0);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
    (void)function, (void)threads, (void)shared;
    *blocks = 2;
    return OK;
}
int cuGetErrorName(int error, const char **name) { (void)error; *name = "CUDA_ERROR"; return OK; }
int cuGetErrorString(int error, const char **words) {
    *words = error == LAUNCH_FAILED ? "unspecified launch failure"
             : error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
             : error == NO_DEVICE ? "no CUDA-capable device is detected" : "some error";
    return OK;
}
