// glTF files made to do harm: wrong counts, cycles, bombs, truncations, no memory. Every one is refused with its place.
#include "glb_files.h"
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "rubble/json.h"

#define ACCESSOR(text) "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" text "]," MESH "}"
#define PRIMITIVE(text)                                                                                      \
    "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS "],'meshes':[{'primitives':[" text "]}]}"
#define NODES(text) NODES_BEFORE text "}"

static const struct
{
    const char* json;
    rblResult code;
    const char* message; // part of it
} hostile[] = {
    {"[]", RBL_ERROR_FORMAT, "expected an object"},
    {"{}", RBL_ERROR_FORMAT, "\"asset\" is missing"},
    {"{'asset':{}}", RBL_ERROR_FORMAT, "\"version\" is missing"},
    {"{'asset':{'version':'1.0'}}", RBL_ERROR_UNSUPPORTED, "glTF 1.0"},
    {"{'asset':{'version':2}}", RBL_ERROR_FORMAT, "expected a string"},
    {"{'asset':{'version':'2.1','minVersion':'2.1'}}", RBL_ERROR_UNSUPPORTED, "glTF 2.1"},
    {"{" ASSET ",'extensionsRequired':['KHR_draco_mesh_compression']}", RBL_ERROR_UNSUPPORTED,
     "KHR_draco_mesh_compression"},
    {"{" ASSET ",'extensionsRequired':['EXT_meshopt_compression']}", RBL_ERROR_UNSUPPORTED,
     "EXT_meshopt_compression"},
    {"{" ASSET ",'extensionsRequired':['A\\nB']}", RBL_ERROR_UNSUPPORTED, "A?B"},
    {"{" ASSET ",'extensionsRequired':[7]}", RBL_ERROR_FORMAT, "extensionsRequired[0]: expected a string"},
    {"{" ASSET ",'extensionsRequired':7}", RBL_ERROR_FORMAT, "expected an array"},
    {"{" ASSET ",'nodes':5}", RBL_ERROR_FORMAT, "nodes: expected an array"},
    {"{" ASSET ",'nodes':[5]}", RBL_ERROR_FORMAT, "nodes[0]: expected an object"},
    {"{" ASSET "}", RBL_ERROR_FORMAT, "no mesh"},
    {"{" ASSET ",'meshes':[{}]}", RBL_ERROR_FORMAT, "\"primitives\" is missing"},
    {"{" ASSET ",'meshes':[{'primitives':[]}]}", RBL_ERROR_GEOMETRY, "no faces"},
    {"{" ASSET ",'meshes':[{'primitives':7}]}", RBL_ERROR_FORMAT, "meshes[0].primitives: expected an array"},
    // accessors
    {ACCESSOR(""), RBL_ERROR_FORMAT, "there is no accessor 0: the file has 0"},
    {ACCESSOR("{}"), RBL_ERROR_FORMAT, "\"componentType\" is missing"},
    {ACCESSOR("{'componentType':5124,'count':3,'type':'VEC3'}"), RBL_ERROR_FORMAT,
     "5124 is not a component type"},
    {ACCESSOR("{'componentType':5126,'count':3,'type':'MAT4'}"), RBL_ERROR_FORMAT,
     "accessors[0].type: expected SCALAR"},
    {ACCESSOR("{'componentType':5126,'count':3,'type':'VEC2'}"), RBL_ERROR_FORMAT,
     "expected 3 components, found 2"},
    {ACCESSOR("{'componentType':5126,'count':0,'type':'VEC3'}"), RBL_ERROR_FORMAT, "no elements"},
    {ACCESSOR("{'componentType':5126,'count':-3,'type':'VEC3'}"), RBL_ERROR_FORMAT,
     "accessors[0].count: expected an integer"},
    {ACCESSOR("{'componentType':5126,'count':3e9,'type':'VEC3'}"), RBL_ERROR_LIMIT, "without a buffer view"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'}"), RBL_ERROR_FORMAT,
     "do not fit the view"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':4294967295,'type':'VEC3'}"), RBL_ERROR_FORMAT,
     "do not fit the view"},
    {ACCESSOR("{'bufferView':0,'byteOffset':4,'componentType':5126,'count':3,'type':'VEC3'}"),
     RBL_ERROR_FORMAT, "do not fit the view"},
    {ACCESSOR(
         "{'bufferView':0,'byteOffset':18446744073709551615,'componentType':5126,'count':3,'type':'VEC3'}"),
     RBL_ERROR_FORMAT, "do not fit the view"},
    {ACCESSOR("{'bufferView':2,'componentType':5126,'count':3,'type':'VEC3'}"), RBL_ERROR_FORMAT,
     "there is no buffer view 2"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':7}"), RBL_ERROR_FORMAT,
     "accessors[0].sparse: expected an object"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':4,'indices':{'"
              "bufferView':1,"
              "'componentType':5121},'values':{'bufferView':0}}}"),
     RBL_ERROR_FORMAT, "expected 1 to 3"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':{'"
              "bufferView':1,"
              "'byteOffset':2,'componentType':5121},'values':{'bufferView':0}}}"),
     RBL_ERROR_FORMAT, "sparse index 0 (number 1) must increase"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':{'"
              "bufferView':0,"
              "'byteOffset':12,'componentType':5125},'values':{'bufferView':0}}}"),
     RBL_ERROR_FORMAT, "must increase and be below 3"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':{'"
              "bufferView':1,"
              "'componentType':5120},'values':{'bufferView':0}}}"),
     RBL_ERROR_FORMAT, "indices must be unsigned"},
    {ACCESSOR("{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':{"
              "'componentType':5121},'values':{'bufferView':0}}}"),
     RBL_ERROR_FORMAT, "sparse.indices: \"bufferView\" is missing"},
    // buffers and views
    {"{" ASSET
     ",'buffers':[{'byteLength':61}],'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[" POSITIONS
     "]," MESH "}",
     RBL_ERROR_FORMAT, "buffers[0].byteLength: 61 bytes are needed, but there are only 60"},
    {"{" ASSET ",'buffers':[{'byteLength':60},{'byteLength':60}],'bufferViews':[{'buffer':1,'byteLength':36}]"
     ",'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "buffers[1]: the buffer has no uri"},
    {"{" ASSET ",'buffers':[{'byteLength':60}],'bufferViews':[{'buffer':0,'byteOffset':25,'byteLength':36}],'"
     "accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "bufferViews[0]: the view ends after its buffer"},
    {"{" ASSET ",'buffers':[{'byteLength':60}],'bufferViews':[{'buffer':0,'byteOffset':18446744073709551600,'"
     "byteLength':36}"
     "],'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "ends after its buffer"},
    {"{" ASSET ",'buffers':[{'byteLength':60}],'bufferViews':[{'buffer':0,'byteLength':36,'byteStride':8}],'"
     "accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "do not fit a stride of 8"},
    {"{" ASSET
     ",'buffers':[{'byteLength':60}],'bufferViews':[{'buffer':0,'byteLength':60,'byteStride':4294967295}],"
     "'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "do not fit the view"},
    {"{" ASSET ",'buffers':[{'byteLength':60,'uri':'http://a/"
     "b'}],'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_UNSUPPORTED, "came from memory"},
    {"{" ASSET
     ",'buffers':[{'byteLength':3,'uri':'data:;base64,AAA'}],'bufferViews':[{'buffer':0,'byteLength':3}],"
     "'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "3 bytes are needed, but there are only 2"},
    {"{" ASSET
     ",'buffers':[{'byteLength':3,'uri':'data:;base64,A A='}],'bufferViews':[{'buffer':0,'byteLength':3}],"
     "'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_FORMAT, "not valid base64"},
    {"{" ASSET
     ",'buffers':[{'byteLength':3,'uri':'data:text/plain,abc'}],'bufferViews':[{'buffer':0,'byteLength':3}],"
     "'accessors':[" POSITIONS "]," MESH "}",
     RBL_ERROR_UNSUPPORTED, "not base64"},
    // primitives
    {PRIMITIVE("7"), RBL_ERROR_FORMAT, "meshes[0].primitives[0]: expected an object"},
    {PRIMITIVE("{}"), RBL_ERROR_FORMAT, "\"attributes\" is missing"},
    {PRIMITIVE("{'attributes':{}}"), RBL_ERROR_FORMAT, "\"POSITION\" is missing"},
    {PRIMITIVE("{'attributes':[]}"), RBL_ERROR_FORMAT, "expected an object, found an array"},
    {PRIMITIVE("{'attributes':{'POSITION':0},'mode':7}"), RBL_ERROR_FORMAT, "7 is not a mode"},
    {PRIMITIVE("{'attributes':{'POSITION':0},'indices':0}"), RBL_ERROR_FORMAT, "plain unsigned scalars"},
    {PRIMITIVE("{'attributes':{'POSITION':0},'material':0}"), RBL_ERROR_FORMAT, "there is no material 0"},
    {PRIMITIVE("{'attributes':{'POSITION':0,'TEXCOORD_0':0}}"), RBL_ERROR_FORMAT,
     "expected 2 components, found 3"},
    {"{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
     ",{'bufferView':1,'componentType':5121,'count':3,'type':"
     "'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'COLOR_0':1}}]}]}",
     RBL_ERROR_FORMAT, "expected 4 components, found 1"},
    {"{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
     ",{'bufferView':1,'componentType':5121,'count':4,'type':"
     "'VEC2'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1}}]}]}",
     RBL_ERROR_FORMAT, "4 values for 3 vertices"},
    {"{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
     ",{'bufferView':1,'componentType':5121,'count':4,'type':"
     "'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
     RBL_ERROR_FORMAT, "4 vertices do not make whole triangles"},
    {"{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
     ",{'bufferView':1,'componentType':5121,'count':2,'type':"
     "'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1,'mode':5}]}]}",
     RBL_ERROR_FORMAT, "2 vertices do not make whole triangles"},
    {"{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
     ",{'bufferView':0,'byteOffset':12,'componentType':5123,"
     "'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
     RBL_ERROR_FORMAT, "(number 1) must be below 3"},
    // nodes
    {NODES("'scene':0,'nodes':[{}]"), RBL_ERROR_FORMAT, "there is no scene 0"},
    {NODES("'scene':0,'scenes':[7],'nodes':[{}]"), RBL_ERROR_FORMAT, "scenes[0]: expected an object"},
    {NODES("'scene':0,'scenes':[{'nodes':[1]}],'nodes':[{}]"), RBL_ERROR_FORMAT, "there is no node 1"},
    {NODES("'scene':0,'scenes':[{'nodes':[0,0]}],'nodes':[{}]"), RBL_ERROR_FORMAT, "node 0 has two parents"},
    {NODES("'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'children':[0]}]"), RBL_ERROR_FORMAT,
     "its own ancestor"},
    {NODES("'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'children':[1]},{'children':[0]}]"),
     RBL_ERROR_FORMAT, "nodes[1].children[0]: node 0 has two parents or is its own ancestor"},
    {NODES("'nodes':[{'children':[1]},{'children':[0]}]"), RBL_ERROR_FORMAT, "their own ancestors"},
    {NODES("'nodes':[{'mesh':0},{'children':[2]},{'children':[1]}]"), RBL_ERROR_FORMAT,
     "their own ancestors"},
    {NODES("'nodes':[{'children':[2]},{'children':[2]},{'mesh':0}]"), RBL_ERROR_FORMAT, "two parents"},
    {NODES("'nodes':[{'children':{'a':1}}]"), RBL_ERROR_FORMAT, "children: expected an array"},
    {NODES("'nodes':[{'mesh':1}]"), RBL_ERROR_FORMAT, "nodes[0].mesh: there is no mesh 1"},
    {NODES("'nodes':[{'mesh':0,'matrix':[1]}]"), RBL_ERROR_FORMAT, "expected 16 numbers, found 1"},
    {NODES("'nodes':[{'mesh':0,'matrix':[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]"), RBL_ERROR_FORMAT, "last row"},
    {NODES("'nodes':[{'mesh':0,'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],'scale':[1,1,1]}]"),
     RBL_ERROR_FORMAT, "not both"},
    {NODES("'nodes':[{'mesh':0,'rotation':[0,0,0,0]}]"), RBL_ERROR_FORMAT, "must not be zero"},
    {NODES("'nodes':[{'mesh':0,'scale':[1e308,1e308,1e308],'translation':[1e308,0,0]}]"), RBL_ERROR_FORMAT,
     "out of range"},
    {NODES("'nodes':[{'mesh':0,'name':7}]"), RBL_ERROR_FORMAT, "nodes[0].name: expected a string"},
    {NODES("'nodes':[{'mesh':0,'name':'a\\u0000b'}]"), RBL_ERROR_FORMAT, "zero character"},
};

static void hostile_files_are_refused_and_say_where(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; ++i)
    {
        rblMesh* mesh = NULL;
        const rblResult result = read_triangle(hostile[i].json, &mesh);
        if (result != hostile[i].code || strstr(rbl_last_error(), hostile[i].message) == NULL)
        {
            fail_msg("%s\n: %s: %s", hostile[i].json, rbl_result_name(result), rbl_last_error());
        }
        assert_null(strchr(rbl_last_error(), '\n'));
        assert_int_equal(rbl_bytes_in_use(), 0);
    }
}

static void wrong_containers_are_refused_with_the_byte(void** state)
{
    (void)state;
    const GlbFile good = glb_file(plain_triangle, &triangle, sizeof triangle);
    static const struct
    {
        size_t at;
        uint32_t value;
        rblResult code;
        const char* message;
    } cases[] = {{0, 0x12345678, RBL_ERROR_FORMAT, "t: byte 0: not a GLB"},
                 {4, 1, RBL_ERROR_UNSUPPORTED, "t: byte 4: GLB version 1"},
                 {8, 7, RBL_ERROR_FORMAT, "t: byte 8: the header gives 7 bytes"},
                 {12, 0xFFFFFFFF, RBL_ERROR_FORMAT, "t: byte 12: a chunk of 4294967295 bytes"},
                 {16, 0x004E4942, RBL_ERROR_FORMAT, "t: byte 16: the first chunk must be JSON"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        uint8_t saved[4];
        memcpy(saved, good.bytes + cases[i].at, 4);
        glb_put_u32(good.bytes + cases[i].at, cases[i].value);
        const rblSource source = glb_source(good.bytes, good.size);
        rblMesh* mesh;
        check_fails(cases[i].code, glb_read_with(rbl_read_glb, &source, &mesh));
        assert_non_null(strstr(rbl_last_error(), cases[i].message));
        memcpy(good.bytes + cases[i].at, saved, 4);
    }
    free(good.bytes);
}

static void truncation_at_every_byte_is_refused(void** state)
{
    (void)state;
    const GlbFile good = glb_file(plain_triangle, &triangle, sizeof triangle);
    for (size_t size = 0; size < good.size; ++size)
    {
        for (int honest = 0; honest < 2; ++honest) // with the old length in the header, and with the true one
        {
            uint8_t* cut = malloc(size + (size == 0));
            assert_non_null(cut);
            memcpy(cut, good.bytes, size);
            if (honest != 0 && size >= 12)
            {
                glb_put_u32(cut + 8, (uint32_t)size);
            }
            const rblSource source = glb_source(cut, size);
            rblMesh* mesh;
            check_fails(RBL_ERROR_FORMAT, glb_read_with(rbl_read_glb, &source, &mesh));
            free(cut);
        }
    }
    free(good.bytes);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void flipped_bytes_never_do_harm(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(42, 0);
    const GlbFile good =
        glb_file("{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS ",{'bufferView':1,'componentType':"
                 "5121,'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,"
                 "'NORMAL':0},'indices':1}]}]," SCENE ",'nodes':[{'mesh':0,'children':[1]},{'mesh':0,"
                 "'scale':[1,2,3],'rotation':[0,0,1,0]}]}",
                 &triangle, sizeof triangle);
    uint8_t* bytes = malloc(good.size);
    assert_non_null(bytes);
    for (int round = 0; round < 20000; ++round)
    {
        memcpy(bytes, good.bytes, good.size);
        for (uint32_t flips = 1 + rbl_random_below(&random, 3); flips > 0; --flips)
        {
            bytes[rbl_random_below(&random, (uint32_t)good.size)] = (uint8_t)rbl_random_u32(&random);
        }
        rblSource source = glb_source(bytes, good.size);
        source.keep_non_finite = round % 2 == 0;
        rblMesh* mesh;
        if (glb_read_with(rbl_read_glb, &source, &mesh) == RBL_OK)
        {
            rbl_mesh_free(mesh);
        }
    }
    free(bytes);
    free(good.bytes);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// A small file that shows a mesh 20,000 times, or one list of indices from 5,000 primitives.
static void copies_beyond_the_limit_are_refused(void** state)
{
    (void)state;
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, rbl_default_allocator());
    rbl_json_begin_array(&json);
    for (uint32_t i = 0; i < 20000; ++i)
    {
        rbl_json_begin_object(&json);
        rbl_json_key(&json, "mesh");
        rbl_json_unsigned(&json, 0);
        rbl_json_end_object(&json);
    }
    rbl_json_end_array(&json);
    check_ok(rbl_json_writer_finish(&json));
    const size_t size = json.size + 1024;
    char* text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, NODES_BEFORE "'nodes':%.*s}", (int)json.size, json.text);
    const GlbFile file = glb_file(text, &triangle, sizeof triangle);
    rblSource source = glb_source(file.bytes, file.size);
    rblMesh* mesh;
    check_ok(glb_read_with(rbl_read_glb, &source, &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 20000);
    rbl_mesh_free(mesh);
    source.max_bytes = 1000000;
    check_fails(RBL_ERROR_LIMIT, glb_read_with(rbl_read_glb, &source, &mesh));
    free(file.bytes);
    free(text);
    rbl_json_writer_free(&json);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void too_many_sets_are_refused(void** state)
{
    (void)state;
    char json[8192];
    size_t used = (size_t)snprintf(
        json, sizeof json,
        "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
        ",{'bufferView':0,'componentType':5126,'count':3,'type':'VEC2'}],'meshes':[{'primitives':[{"
        "'attributes':{'POSITION':0");
    for (uint32_t i = 0; i <= 64; ++i)
    {
        used += (size_t)snprintf(json + used, sizeof json - used, ",'TEXCOORD_%u':1", i);
    }
    snprintf(json + used, sizeof json - used, "}}]}]}");
    rblMesh* mesh;
    check_fails(RBL_ERROR_LIMIT, read_triangle(json, &mesh));
    assert_non_null(strstr(rbl_last_error(), "65 sets of TEXCOORD; Rubble reads up to 64"));
    memcpy(strstr(json, "TEXCOORD_64"), "Texcoord_64", 11);
    check_ok(read_triangle(json, &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->layer_count, 64);
    rbl_mesh_free(mesh);
}

// A long name that many instances and primitives share is looked up once: otherwise this test takes minutes.
static void names_are_looked_up_once(void** state)
{
    (void)state;
    enum
    {
        LENGTH = 1000000,
        COPIES = 10000
    };
    char* name = malloc(LENGTH + 1);
    char* text = malloc(3 * LENGTH + 80 * COPIES);
    assert_true(name != NULL && text != NULL);
    memset(name, 'n', LENGTH);
    name[LENGTH] = '\0';
    size_t used = (size_t)sprintf(text,
                                  "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
                                  "],'materials':[{'name':'%s'},{'name':'m'}],'meshes':[{'name':'%s',"
                                  "'primitives':[",
                                  name, name);
    for (int i = 0; i < COPIES; ++i)
    {
        used += (size_t)sprintf(text + used, "%s{'attributes':{'POSITION':0},'material':%d}",
                                i > 0 ? "," : "", i % 2);
    }
    used +=
        (size_t)sprintf(text + used, "]},{'name':'%s','primitives':[{'attributes':{'POSITION':0}}]}],", name);
    used += (size_t)sprintf(text + used, "'nodes':[{'mesh':0}");
    for (int i = 0; i < COPIES; ++i)
    {
        used += (size_t)sprintf(text + used, ",{'mesh':1}");
    }
    sprintf(text + used, "]}");
    rblMesh* mesh;
    check_ok(read_triangle(text, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->face_count, 2 * COPIES);
    assert_int_equal(view->group_count, 1);
    assert_int_equal(view->material_count, 3); // and the default of the second mesh
    assert_string_equal(view->group_names[0], name);
    assert_string_equal(view->material_names[0], name);
    assert_int_equal(view->face_materials[COPIES - 1], 1);
    rbl_mesh_free(mesh);
    free(text);
    free(name);
}

// Many accessors over one list of sparse indices, each of which would have to be checked.
static void sparse_indices_shared_too_often_are_refused(void** state)
{
    (void)state;
    enum
    {
        ELEMENTS = 10000,
        ACCESSORS = 500
    };
    const size_t size = 4 * ELEMENTS + 12 * ELEMENTS;
    uint8_t* binary = calloc(size, 1);
    char* text = malloc(400 * ACCESSORS);
    assert_true(binary != NULL && text != NULL);
    for (uint32_t i = 0; i < ELEMENTS; ++i)
    {
        glb_put_u32(binary + 4 * i, i);
    }
    size_t used = (size_t)sprintf(text,
                                  "{" ASSET ",'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,"
                                  "'byteLength':%d},{'buffer':0,'byteOffset':%d,'byteLength':%d}],"
                                  "'accessors':[{'componentType':5121,'count':3,'type':'SCALAR'}",
                                  size, 4 * ELEMENTS, 4 * ELEMENTS, 12 * ELEMENTS);
    for (int i = 0; i < ACCESSORS; ++i)
    {
        used += (size_t)sprintf(text + used,
                                ",{'componentType':5126,'count':%d,'type':'VEC3','sparse':{'count':%d,"
                                "'indices':{'bufferView':0,'componentType':5125},'values':{'bufferView':1}}}",
                                ELEMENTS, ELEMENTS);
    }
    used += (size_t)sprintf(text + used, "],'meshes':[{'primitives':[");
    for (int i = 0; i < ACCESSORS; ++i)
    {
        used += (size_t)sprintf(text + used, "%s{'attributes':{'POSITION':%d},'indices':0}", i > 0 ? "," : "",
                                i + 1);
    }
    sprintf(text + used, "]}]}");
    rblMesh* mesh;
    check_fails(RBL_ERROR_LIMIT, glb_read(text, binary, size, &mesh));
    assert_non_null(strstr(rbl_last_error(), "].sparse: the accessors up to here replace"));
    free(text);
    free(binary);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    const GlbFile file =
        glb_file("{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS ",{'bufferView':1,'componentType':"
                 "5121,'count':3,'type':'SCALAR'}],'materials':[{'name':'m'}],'meshes':[{'primitives':[{"
                 "'attributes':{'POSITION':0,'NORMAL':0,'COLOR_0':0},'indices':1,'material':0}]}],'nodes':[{"
                 "'mesh':0,'children':[1]},{'mesh':0,'scale':[1,2,3],'rotation':[0,0,1,0]}]}",
                 &triangle, sizeof triangle);
    rblSource sources[2] = {glb_source(file.bytes, file.size),
                            glb_source((const uint8_t*)external, sizeof external - 1)};
    sources[1].path = "test_glb.gltf";
    write_buffer(36);
    for (int kind = 0; kind < 2; ++kind)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result != RBL_OK; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            sources[kind].allocator = &memory.allocator;
            rblMesh* mesh;
            result = glb_read_with(kind == 0 ? rbl_read_glb : rbl_read_gltf, &sources[kind], &mesh);
            if (result == RBL_OK)
            {
                rbl_mesh_free(mesh);
            }
            assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
            assert_int_equal(memory.live, 0);
        }
    }
    remove("test_glb buffer.bin");
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_are_refused_and_say_where),
        cmocka_unit_test(wrong_containers_are_refused_with_the_byte),
        cmocka_unit_test(truncation_at_every_byte_is_refused),
        cmocka_unit_test(flipped_bytes_never_do_harm),
        cmocka_unit_test(copies_beyond_the_limit_are_refused),
        cmocka_unit_test(too_many_sets_are_refused),
        cmocka_unit_test(names_are_looked_up_once),
        cmocka_unit_test(sparse_indices_shared_too_often_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
