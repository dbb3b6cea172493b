// Drives one fuzz target without libFuzzer: every file of the given folders as it is, cut short at many places, and with
// a few bytes changed. The changes come from a fixed seed, so that every run is the same.
#define _POSIX_C_SOURCE 200809L // opendir
#include "base/random.h"
#include "fuzz.h"
#include <dirent.h>
#include <string.h>

#define LARGEST_FILE ((size_t)1 << 20)
#define MUTATIONS    150
#define CUTS         100

// Exactly as large as the input, so that the sanitizer sees one byte too many.
static void run_copy(const uint8_t* bytes, size_t size)
{
    uint8_t* copy = malloc(size > 0 ? size : 1);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_mutations(uint8_t* bytes, size_t size, rblRandom* random)
{
    uint8_t saved[4];
    size_t places[4];
    for (int round = 0; round < MUTATIONS && size > 0; ++round)
    {
        const uint32_t changes = 1 + rbl_random_below(random, 4);
        for (uint32_t i = 0; i < changes; ++i)
        {
            places[i] = rbl_random_below(random, (uint32_t)size);
            saved[i] = bytes[places[i]];
            const uint8_t bit = (uint8_t)(1u << rbl_random_below(random, 8));
            bytes[places[i]] =
                rbl_random_below(random, 2) == 0 ? saved[i] ^ bit : (uint8_t)rbl_random_u32(random);
        }
        run_copy(bytes, size);
        for (uint32_t i = changes; i-- > 0;)
        {
            bytes[places[i]] = saved[i];
        }
    }
}

static void run_file(const char* path)
{
    uint8_t* bytes = malloc(LARGEST_FILE);
    FILE* file = fopen(path, "rb");
    FUZZ_CHECK(bytes != NULL && file != NULL);
    const size_t size = fread(bytes, 1, LARGEST_FILE, file);
    fclose(file);
    rblRandom random = rbl_random_seed(size, 0);
    run_copy(bytes, size);
    for (size_t i = 0; i < CUTS; ++i)
    {
        run_copy(bytes, size * i / CUTS);
    }
    run_mutations(bytes, size, &random);
    free(bytes);
}

static int compare_names(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// In order of their names: a folder lists its files as it likes.
static size_t run_folder(const char* folder)
{
    enum
    {
        MOST = 4096
    };
    static char* names[MOST];
    size_t count = 0;
    DIR* directory = opendir(folder);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    {
        if (entry->d_name[0] != '.')
        {
            FUZZ_CHECK(count < MOST);
            names[count] = strdup(entry->d_name);
            FUZZ_CHECK(names[count] != NULL);
            count += 1;
        }
    }
    if (directory != NULL)
    {
        closedir(directory);
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; ++i)
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        run_file(path);
        free(names[i]);
    }
    return count;
}

int main(int argc, char** argv)
{
    size_t files = 0;
    for (int i = 1; i < argc; ++i)
    {
        files += run_folder(argv[i]); // a folder that is not there holds no files
    }
    if (files == 0)
    {
        fprintf(stderr, "no files to replay\n");
        return 1;
    }
    printf("%zu files replayed\n", files);
    return 0;
}
