// Memory for NumPy's arrays between pages that cannot be touched; see guarded.py.
//
//   a page with what is known of the block | no access | the block's pages | no access

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)

struct block {
    size_t length, size;
};

// 1: a block's last byte lies before the page behind it; 0: its first byte behind the page before it.
int at_end = 1;

static struct block *block_of(void *at) {
    return (struct block *)(((uintptr_t)at & ~(PAGE - 1)) - 2 * PAGE);
}

static void *guarded_malloc(void *context, size_t size) {
    (void)context;
    // Even of nothing the address is its own, and inside.
    size_t most = size ? size : 1;
    size_t inner = (most + PAGE - 1) & ~(PAGE - 1), length = inner + 3 * PAGE;
    char *base = mmap(0, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return 0;
    }
    if (mprotect(base, PAGE, PROT_READ | PROT_WRITE) ||
        mprotect(base + 2 * PAGE, inner, PROT_READ | PROT_WRITE)) {
        munmap(base, length);
        return 0;
    }
    *(struct block *)base = (struct block){length, size};
    return base + 2 * PAGE + (at_end ? inner - most : 0);
}

static void *guarded_calloc(void *context, size_t count, size_t each) {
    return guarded_malloc(context, count * each);  // fresh pages are zero
}

static void guarded_free(void *context, void *at, size_t size) {
    (void)context, (void)size;
    if (at) {
        munmap(block_of(at), block_of(at)->length);
    }
}

static void *guarded_realloc(void *context, void *old, size_t size) {
    char *new = guarded_malloc(context, size);
    if (old && new) {
        size_t had = block_of(old)->size;
        memcpy(new, old, had < size ? had : size);
        guarded_free(context, old, had);
    }
    return new;
}

// NumPy's PyDataMem_Handler.
struct {
    char name[127];
    uint8_t version;
    struct {
        void *context;
        void *(*malloc)(void *, size_t);
        void *(*calloc)(void *, size_t, size_t);
        void *(*realloc)(void *, void *, size_t);
        void (*free)(void *, void *, size_t);
    } allocator;
} handler = {"guarded", 1, {0, guarded_malloc, guarded_calloc, guarded_realloc, guarded_free}};
