// Files read whole, files replaced whole or not at all.
#define _XOPEN_SOURCE 700 // mkfifo, mkdtemp, symlink
#include "testing.h"

#include "failing_allocator.h"
#include "io/file.h"
#include "io/readers.h"
#include "temporary_folder.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_content(const char* path, const char* text)
{
    rblFileBytes file;
    check_ok(rbl_file_read(path, 1 << 20, rbl_default_allocator(), &file));
    assert_int_equal(file.size, strlen(text));
    if (file.size > 0)
    {
        assert_memory_equal(file.bytes, text, file.size);
    }
    rbl_file_bytes_free(&file);
}

static void check_message(const char* part)
{
    if (strstr(rbl_last_error(), part) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", rbl_last_error(), part);
    }
}

static void whole_files_are_read(void** state)
{
    (void)state;
    put(in_folder("text"), "hello");
    check_content(in_folder("text"), "hello");
    put(in_folder("empty"), "");
    check_content(in_folder("empty"), "");
}

static void the_limit_is_the_last_size_accepted(void** state)
{
    (void)state;
    put(in_folder("text"), "hello");
    rblFileBytes file = {0};
    check_ok(rbl_file_read(in_folder("text"), 5, rbl_default_allocator(), &file));
    rbl_file_bytes_free(&file);
    check_fails(RBL_ERROR_LIMIT, rbl_file_read(in_folder("text"), 4, rbl_default_allocator(), &file));
    check_message("limit of 4 bytes");
    assert_null(file.bytes);
}

static void what_cannot_be_read_is_named(void** state)
{
    (void)state;
    rblFileBytes file;
    check_fails(RBL_ERROR_FILE, rbl_file_read(in_folder("nothing"), 100, rbl_default_allocator(), &file));
    check_message("nothing: cannot be opened: No such file");
    check_fails(RBL_ERROR_FILE, rbl_file_read(folder, 100, rbl_default_allocator(), &file));
    check_message("directory");
}

typedef struct Pipe
{
    const char* path;
    size_t size;
} Pipe;

static void* fill_pipe(void* argument)
{
    const Pipe* pipe_ = argument;
    FILE* file = fopen(pipe_->path, "wb");
    for (size_t i = 0; file != NULL && i < pipe_->size; ++i)
    {
        fputc('a' + (int)(i % 26), file);
    }
    return file != NULL && fclose(file) != 0 ? argument : NULL;
}

// What is wrong comes through however long the path is, and in whole characters.
static void long_names_do_not_displace_the_message(void** state)
{
    (void)state;
    char path[1200] = "";
    for (int i = 0; i < 500; ++i)
    {
        strcat(path, "\xC3\xBC");
    }
    strcat(path, "/f.obj");
    rblMeshId id;
    rblFileBytes file;
    rblWriter writer;
    check_fails(RBL_ERROR_FILE, rbl_file_read(path, 100, rbl_default_allocator(), &file));
    check_message("/f.obj: cannot be opened: ");
    assert_memory_equal(rbl_last_error(), "\xC3\xBC", 2);
    check_fails(RBL_ERROR_FILE, rbl_writer_open(&writer, path, rbl_default_allocator()));
    check_message("/f.obj: cannot be written: ");
    strcat(path, "x");
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_load(path, NULL, &id));
    check_message("/f.objx: the name does not end in ");
}

static void pipes_are_read_to_their_end(void** state)
{
    (void)state;
    Pipe pipe_ = {in_folder("pipe"), 300000};
    assert_int_equal(mkfifo(pipe_.path, 0600), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fill_pipe, &pipe_), 0);
    rblFileBytes file;
    check_ok(rbl_file_read(pipe_.path, 1 << 20, rbl_default_allocator(), &file));
    pthread_join(thread, NULL);
    assert_int_equal(file.size, pipe_.size);
    for (size_t i = 0; i < file.size; ++i)
    {
        assert_int_equal(file.bytes[i], 'a' + i % 26);
    }
    rbl_file_bytes_free(&file);
}

static void a_file_appears_only_when_it_is_complete(void** state)
{
    (void)state;
    const char* path = in_folder("out.obj");
    put(path, "old");
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, path, rbl_default_allocator()));
    for (int i = 0; i < 100000; ++i)
    {
        rbl_write_text(&writer, "new line\n");
    }
    check_content(path, "old");
    check_ok(rbl_writer_close(&writer));
    rblFileBytes file;
    check_ok(rbl_file_read(path, 1 << 20, rbl_default_allocator(), &file));
    assert_int_equal(file.size, 900000);
    rbl_file_bytes_free(&file);
    assert_int_equal(count_entries(), 1);
}

static void giving_up_leaves_the_old_file_and_nothing_else(void** state)
{
    (void)state;
    const char* path = in_folder("out.obj");
    put(path, "old");
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, path, rbl_default_allocator()));
    rbl_write_text(&writer, "half of the new");
    rbl_writer_discard(&writer);
    rbl_writer_discard(&writer);
    check_content(path, "old");
    assert_int_equal(count_entries(), 1);
}

static void left_over_temporaries_are_not_touched(void** state)
{
    (void)state;
    put(in_folder("out.obj.tmp0"), "someone else's");
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, in_folder("out.obj"), rbl_default_allocator()));
    rbl_write_text(&writer, "mine");
    check_ok(rbl_writer_close(&writer));
    check_content(in_folder("out.obj"), "mine");
    check_content(in_folder("out.obj.tmp0"), "someone else's");
    assert_int_equal(count_entries(), 2);
}

static void links_stay_links_and_permissions_stay(void** state)
{
    (void)state;
    put(in_folder("real.obj"), "old");
    chmod(in_folder("real.obj"), 0640);
    assert_int_equal(symlink("real.obj", in_folder("link.obj")), 0);
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, in_folder("link.obj"), rbl_default_allocator()));
    rbl_write_text(&writer, "new");
    check_ok(rbl_writer_close(&writer));
    struct stat status;
    assert_int_equal(lstat(in_folder("link.obj"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(in_folder("real.obj"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    check_content(in_folder("real.obj"), "new");
}

static void devices_are_written_not_replaced(void** state)
{
    (void)state;
    struct stat status;
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode))
    {
        skip();
    }
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, "/dev/full", rbl_default_allocator()));
    rbl_write_text(&writer, "this does not fit");
    check_fails(RBL_ERROR_FILE, rbl_writer_close(&writer));
    check_message("/dev/full: cannot be written: No space left");
    // The buffer fills and is flushed in the middle: the failure is still the one reported at the end.
    check_ok(rbl_writer_open(&writer, "/dev/full", rbl_default_allocator()));
    for (int i = 0; i < 100000; ++i)
    {
        rbl_write_text(&writer, "much more than the buffer\n");
        rbl_writer_advance(&writer, rbl_writer_reserve(&writer) + RBL_WRITER_RESERVE);
    }
    check_fails(RBL_ERROR_FILE, rbl_writer_close(&writer));
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void places_that_cannot_be_written_are_named(void** state)
{
    (void)state;
    rblWriter writer;
    check_fails(RBL_ERROR_FILE, rbl_writer_open(&writer, folder, rbl_default_allocator()));
    check_message("directory");
    check_fails(RBL_ERROR_FILE,
                rbl_writer_open(&writer, in_folder("no/such/folder.obj"), rbl_default_allocator()));
    check_message("No such file");
    check_fails(RBL_ERROR_FILE, rbl_writer_open(&writer, "/proc/rubble.obj", rbl_default_allocator()));
    assert_int_equal(count_entries(), 0);
}

static void a_target_that_turns_into_a_folder_is_refused_and_cleaned_up(void** state)
{
    (void)state;
    rblWriter writer;
    check_ok(rbl_writer_open(&writer, in_folder("out.obj"), rbl_default_allocator()));
    rbl_write_text(&writer, "text");
    assert_int_equal(mkdir(in_folder("out.obj"), 0700), 0);
    check_fails(RBL_ERROR_FILE, rbl_writer_close(&writer));
    assert_int_equal(count_entries(), 1);
    assert_int_equal(rmdir(in_folder("out.obj")), 0);
}

static void memory_holds_what_was_written(void** state)
{
    (void)state;
    rblWriter writer;
    check_ok(rbl_writer_open_memory(&writer, rbl_default_allocator()));
    char line[1000];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 200; ++i)
    {
        line[0] = (char)i;
        rbl_write_bytes(&writer, line, sizeof line);
        char* text = rbl_writer_reserve(&writer);
        text[0] = 'y';
        rbl_writer_advance(&writer, text + 1);
    }
    check_ok(rbl_writer_close(&writer));
    assert_int_equal(writer.size, 200 * 1001);
    for (int i = 0; i < 200; ++i)
    {
        assert_int_equal((unsigned char)writer.buffer[1001 * i], i);
        assert_int_equal(writer.buffer[1001 * i + 1000], 'y');
    }
    rbl_writer_discard(&writer);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static rblResult write_much(const rblAllocator* allocator, const char* path)
{
    rblWriter writer;
    RBL_TRY(path != NULL ? rbl_writer_open(&writer, path, allocator)
                         : rbl_writer_open_memory(&writer, allocator));
    for (int i = 0; i < 20000; ++i)
    {
        rbl_write_text(&writer, "a line of text\n");
        rbl_writer_advance(&writer, rbl_writer_reserve(&writer));
    }
    const rblResult result = rbl_writer_close(&writer);
    rbl_writer_discard(&writer);
    return result;
}

static rblResult read_much(const rblAllocator* allocator, const char* path)
{
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, 1 << 20, allocator, &file));
    rbl_file_bytes_free(&file);
    return RBL_OK;
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    const char* path = in_folder("out.obj");
    put(path, "old");
    FailingAllocator memory;
    rblResult results[3] = {RBL_ERROR_MEMORY, RBL_ERROR_MEMORY, RBL_ERROR_MEMORY};
    for (size_t n = 0; n < 20; ++n)
    {
        failing_allocator_start(&memory, n);
        results[0] = write_much(&memory.allocator, path);
        assert_int_equal(memory.live, 0);
        assert_int_equal(count_entries(), 1);
        failing_allocator_start(&memory, n);
        results[1] = write_much(&memory.allocator, NULL);
        assert_int_equal(memory.live, 0);
        failing_allocator_start(&memory, n);
        results[2] = read_much(&memory.allocator, path);
        assert_int_equal(memory.live, 0);
        for (int i = 0; i < 3; ++i)
        {
            assert_true(results[i] == RBL_OK || results[i] == RBL_ERROR_MEMORY);
            assert_true(n > 0 || results[i] == RBL_ERROR_MEMORY);
        }
    }
    assert_true(results[0] == RBL_OK && results[1] == RBL_OK && results[2] == RBL_OK);
}

static void formats_are_known_by_their_ending(void** state)
{
    (void)state;
    assert_int_equal(rbl_format_of_path("a/b.c/bunny.obj"), RBL_FORMAT_OBJ);
    assert_int_equal(rbl_format_of_path("BUNNY.PLY"), RBL_FORMAT_PLY);
    assert_int_equal(rbl_format_of_path("bunny.obj.StL"), RBL_FORMAT_STL);
    assert_int_equal(rbl_format_of_path("bunny.off"), RBL_FORMAT_OFF);
    assert_int_equal(rbl_format_of_path("bunny.glb"), RBL_FORMAT_GLB);
    assert_int_equal(rbl_format_of_path("bunny.gltf"), RBL_FORMAT_GLTF);
    assert_int_equal(rbl_format_of_path("bunny"), RBL_FORMAT_AUTO);
    assert_int_equal(rbl_format_of_path("obj"), RBL_FORMAT_AUTO);
    assert_int_equal(rbl_format_of_path(""), RBL_FORMAT_AUTO);
    assert_int_equal(rbl_format_of_path("bunny.obj/"), RBL_FORMAT_AUTO);
}

static void lines_are_counted_whatever_ends_them(void** state)
{
    (void)state;
    const char* text = "one\ntwo\r\nthree\rfour\n\nsix";
    const rblSource source = {.name = "x", .bytes = (const uint8_t*)text, .size = strlen(text)};
    static const char* const words[] = {"one", "two", "three", "four", NULL, "six"};
    for (size_t i = 0; i < 6; ++i)
    {
        if (words[i] != NULL)
        {
            char expected[32];
            snprintf(expected, sizeof expected, "x:%zu: bad 7", i + 1);
            check_fails(RBL_ERROR_FORMAT,
                        rbl_fail_line(&source, strstr(text, words[i]), RBL_ERROR_FORMAT, "bad %d", 7));
            assert_string_equal(rbl_last_error(), expected);
        }
    }
    check_fails(RBL_ERROR_LIMIT, rbl_fail_byte(&source, 5000000000u, RBL_ERROR_LIMIT, "bad"));
    assert_string_equal(rbl_last_error(), "x: byte 5000000000: bad");
    char name[1000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    const rblSource long_name = {.name = name};
    rbl_fail_byte(&long_name, 0, RBL_ERROR_LIMIT, "the message");
    check_message("the message");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_files_are_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(the_limit_is_the_last_size_accepted, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_named, make_folder, remove_folder),
        cmocka_unit_test(long_names_do_not_displace_the_message),
        cmocka_unit_test_setup_teardown(pipes_are_read_to_their_end, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_appears_only_when_it_is_complete, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(giving_up_leaves_the_old_file_and_nothing_else, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(left_over_temporaries_are_not_touched, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(links_stay_links_and_permissions_stay, make_folder, remove_folder),
        cmocka_unit_test(devices_are_written_not_replaced),
        cmocka_unit_test_setup_teardown(places_that_cannot_be_written_are_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_target_that_turns_into_a_folder_is_refused_and_cleaned_up,
                                        make_folder, remove_folder),
        cmocka_unit_test(memory_holds_what_was_written),
        cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported_and_leaks_nothing, make_folder,
                                        remove_folder),
        cmocka_unit_test(formats_are_known_by_their_ending),
        cmocka_unit_test(lines_are_counted_whatever_ends_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
