#include "scene/record/call_codec.h"

#include "base/error.h"
#include "field/compound.h"
#include "field/fragment/fragment_shape.h"
#include "field/shape.h"
#include "scene/record/recording_format.h"

// ---- calls ----

// Every kind of call as a list of its fields: one letter each (see put_field).
typedef struct CallKind
{
    const char* name;
    const char* fields;
} CallKind;

static const CallKind kinds[RBL_CALL_COUNT] = {
    [RBL_CALL_STEP] = {"step", "s"},
    [RBL_CALL_STEPPED] = {"end of a step", "h"},
    [RBL_CALL_SET_GRAVITY] = {"set gravity", "1"},
    [RBL_CALL_BODY_CREATE] = {"create a body", "Db"},
    [RBL_CALL_BODY_DESTROY] = {"destroy a body", "b"},
    [RBL_CALL_BODY_TELEPORT] = {"teleport a body", "bp"},
    [RBL_CALL_BODY_SET_VELOCITY] = {"set a velocity", "b12"},
    [RBL_CALL_BODY_APPLY_FORCE] = {"apply a force", "b12"},
    [RBL_CALL_BODY_APPLY_TORQUE] = {"apply a torque", "b1"},
    [RBL_CALL_BODY_APPLY_IMPULSE] = {"apply an impulse", "b12"},
    [RBL_CALL_BODY_SET_FILTER] = {"set a filter", "bf"},
    [RBL_CALL_BODY_WAKE] = {"wake a body", "b"},
    [RBL_CALL_JOINT_CREATE] = {"create a joint", "Jj"},
    [RBL_CALL_JOINT_DESTROY] = {"destroy a joint", "j"},
    [RBL_CALL_JOINT_SET_TARGET] = {"move a joint's target", "j1"},
    [RBL_CALL_SAVE] = {"take a snapshot", "n"},
    [RBL_CALL_RESTORE] = {"go back to a snapshot", "n"},
    [RBL_CALL_DESTROY] = {"destroy the world", ""},
    [RBL_CALL_BODY_BREAK] = {"break a body", "b12"},
    [RBL_CALL_BREAKABLE_CREATE] = {"create a body that may break", "DPb"},
};

const char* rbl_call_name(rblCallCode code)
{
    return (unsigned)code < RBL_CALL_COUNT ? kinds[code].name : "unknown";
}

static void put_filter(rblByteSink* sink, const rblFilter* filter)
{
    rbl_put_u64(sink, filter->category);
    rbl_put_u64(sink, filter->mask);
    rbl_put_u32(sink, (uint32_t)filter->group);
}

static void put_body_def(rblByteSink* sink, const rblBodyDef* def, uint32_t shape)
{
    rbl_put_varint(sink, shape);
    rbl_put_u8(sink, def->type);
    rbl_put_floats(sink, &def->material.density, sizeof def->material / sizeof(float));
    rbl_put_floats(sink, &def->pose.p.x, 7);
    rbl_put_floats(sink, &def->velocity.x, 3);
    rbl_put_floats(sink, &def->spin.x, 3);
    rbl_put_f32(sink, def->mass);
    rbl_put_f32(sink, def->gravity_scale);
    put_filter(sink, &def->filter);
    rbl_put_u8(sink, def->asleep);
}

static void put_pattern(rblByteSink* sink, const rblPatternDef* pattern)
{
    const double numbers[10] = {pattern->size,   pattern->radius,       pattern->falloff, pattern->jitter,
                                pattern->noise,  pattern->noise_length, pattern->aspect,  pattern->axis.x,
                                pattern->axis.y, pattern->axis.z};
    rbl_put_u8(sink, pattern->kind);
    rbl_put_u32(sink, pattern->pieces);
    rbl_put_u64(sink, pattern->seed);
    rbl_put_doubles(sink, numbers, 10);
}

void rbl_put_prescored(rblByteSink* sink, const rblPrescoredDef* def, uint32_t labels)
{
    const float numbers[5] = {def->smallest, def->thinnest, def->lifetime, def->smallest_body, def->share};
    put_pattern(sink, &def->pattern);
    rbl_put_floats(sink, numbers, 5);
    rbl_put_u32(sink, def->most_fragments);
    rbl_put_u32(sink, def->generations);
    rbl_put_u8(sink, def->crumbs);
    rbl_put_u8(sink, def->accumulate);
    rbl_put_u8(sink, def->aligned);
    if (def->pattern.kind == RBL_PATTERN_FILE)
    {
        rbl_put_varint(sink, labels);
    }
}

static void put_breaking(rblByteSink* sink, const rblCall* call)
{
    rbl_put_u8(sink, call->body_def.anchor.kind);
    rbl_put_floats(sink, &call->body_def.anchor.box.lower.x, 6);
    rbl_put_u8(sink, call->breaks);
    if (call->breaks == RBL_CALL_BREAKS_BY_STRESS)
    {
        rbl_put_varint(sink, call->stress);
        return;
    }
    rbl_put_prescored(sink, &call->prescored, call->labels);
}

static void put_joint_def(rblByteSink* sink, const rblJointDef* def)
{
    const float numbers[5] = {def->length, def->break_force, def->stiffness, def->damping, def->max_force};
    rbl_put_u8(sink, def->kind);
    rbl_put_varint(sink, def->a.index1);
    rbl_put_varint(sink, def->a.generation);
    rbl_put_varint(sink, def->b.index1);
    rbl_put_varint(sink, def->b.generation);
    rbl_put_floats(sink, &def->anchor_a.x, 3);
    rbl_put_floats(sink, &def->anchor_b.x, 3);
    rbl_put_floats(sink, &def->axis.x, 3);
    rbl_put_floats(sink, numbers, 5);
    rbl_put_u8(sink, def->collide);
}

static void put_field(rblByteSink* sink, char field, const rblCall* call, uint32_t shape)
{
    switch (field)
    {
    case '1':
        rbl_put_floats(sink, &call->first.x, 3);
        break;
    case '2':
        rbl_put_floats(sink, &call->second.x, 3);
        break;
    case 'b':
        rbl_put_varint(sink, call->body.index1);
        rbl_put_varint(sink, call->body.generation);
        break;
    case 'j':
        rbl_put_varint(sink, call->joint.index1);
        rbl_put_varint(sink, call->joint.generation);
        break;
    case 'p':
        rbl_put_floats(sink, &call->pose.p.x, 7);
        break;
    case 'f':
        put_filter(sink, &call->filter);
        break;
    case 's':
        rbl_put_f32(sink, call->seconds);
        break;
    case 'h':
        rbl_put_u64(sink, call->number);
        break;
    case 'n':
        rbl_put_varint(sink, call->number);
        break;
    case 'D':
        put_body_def(sink, &call->body_def, shape);
        break;
    case 'P':
        put_breaking(sink, call);
        break;
    default:
        put_joint_def(sink, &call->joint_def);
        break;
    }
}

void rbl_put_call(rblByteSink* sink, const rblCall* call, uint32_t shape)
{
    rbl_put_u8(sink, call->code);
    for (const char* field = kinds[call->code].fields; *field != '\0'; ++field)
    {
        put_field(sink, *field, call, shape);
    }
}

static void take_filter(rblByteSource* source, rblFilter* filter)
{
    filter->category = rbl_take_u64(source);
    filter->mask = rbl_take_u64(source);
    const uint32_t group = rbl_take_u32(source);
    memcpy(&filter->group, &group, sizeof group);
}

static void take_body_def(rblByteSource* source, rblBodyDef* def, uint32_t* shape)
{
    *def = rbl_default_body_def();
    *shape = rbl_take_u32_varint(source);
    def->type = (rblBodyType)rbl_take_u8(source);
    rbl_take_floats(source, &def->material.density, sizeof def->material / sizeof(float));
    rbl_take_floats(source, &def->pose.p.x, 7);
    rbl_take_floats(source, &def->velocity.x, 3);
    rbl_take_floats(source, &def->spin.x, 3);
    def->mass = rbl_take_f32(source);
    def->gravity_scale = rbl_take_f32(source);
    take_filter(source, &def->filter);
    def->asleep = rbl_take_u8(source) != 0;
}

static void take_pattern(rblByteSource* source, rblPatternDef* pattern)
{
    double numbers[10];
    *pattern = rbl_default_pattern_def();
    pattern->kind = (rblPatternKind)rbl_take_u8(source);
    pattern->pieces = rbl_take_u32(source);
    pattern->seed = rbl_take_u64(source);
    rbl_take_doubles(source, numbers, 10);
    pattern->size = numbers[0];
    pattern->radius = numbers[1];
    pattern->falloff = numbers[2];
    pattern->jitter = numbers[3];
    pattern->noise = numbers[4];
    pattern->noise_length = numbers[5];
    pattern->aspect = numbers[6];
    pattern->axis = (rblVec3d){numbers[7], numbers[8], numbers[9]};
}

void rbl_take_prescored(rblByteSource* source, rblPrescoredDef* def, uint32_t* labels)
{
    float numbers[5];
    *def = rbl_default_prescored_def();
    take_pattern(source, &def->pattern);
    rbl_take_floats(source, numbers, 5);
    def->smallest = numbers[0];
    def->thinnest = numbers[1];
    def->lifetime = numbers[2];
    def->smallest_body = numbers[3];
    def->share = numbers[4];
    def->most_fragments = rbl_take_u32(source);
    def->generations = rbl_take_u32(source);
    def->crumbs = (rblCrumbs)rbl_take_u8(source);
    def->accumulate = rbl_take_u8(source) != 0;
    def->aligned = rbl_take_u8(source) != 0;
    *labels = def->pattern.kind == RBL_PATTERN_FILE ? rbl_take_u32_varint(source) : 0;
}

static void take_breaking(rblByteSource* source, rblCall* call)
{
    call->body_def.anchor.kind = (rblAnchorKind)rbl_take_u8(source);
    rbl_take_floats(source, &call->body_def.anchor.box.lower.x, 6);
    const uint32_t breaks = rbl_take_u8(source);
    call->breaks = breaks > RBL_CALL_BREAKS_BY_STRESS ? RBL_CALL_BREAKS_PRESCORED : (rblCallBreaks)breaks;
    if (call->breaks == RBL_CALL_BREAKS_BY_STRESS)
    {
        call->stress = rbl_take_u32_varint(source);
        return;
    }
    rbl_take_prescored(source, &call->prescored, &call->labels);
}

static void take_joint_def(rblByteSource* source, rblJointDef* def)
{
    float numbers[5];
    *def = rbl_default_joint_def();
    def->kind = (rblJointKind)rbl_take_u8(source);
    def->a.index1 = rbl_take_u32_varint(source);
    def->a.generation = rbl_take_u32_varint(source);
    def->b.index1 = rbl_take_u32_varint(source);
    def->b.generation = rbl_take_u32_varint(source);
    rbl_take_floats(source, &def->anchor_a.x, 3);
    rbl_take_floats(source, &def->anchor_b.x, 3);
    rbl_take_floats(source, &def->axis.x, 3);
    rbl_take_floats(source, numbers, 5);
    def->length = numbers[0];
    def->break_force = numbers[1];
    def->stiffness = numbers[2];
    def->damping = numbers[3];
    def->max_force = numbers[4];
    def->collide = rbl_take_u8(source) != 0;
}

static void take_field(rblByteSource* source, char field, rblCall* call, uint32_t* shape)
{
    switch (field)
    {
    case '1':
        rbl_take_floats(source, &call->first.x, 3);
        break;
    case '2':
        rbl_take_floats(source, &call->second.x, 3);
        break;
    case 'b':
        call->body.index1 = rbl_take_u32_varint(source);
        call->body.generation = rbl_take_u32_varint(source);
        break;
    case 'j':
        call->joint.index1 = rbl_take_u32_varint(source);
        call->joint.generation = rbl_take_u32_varint(source);
        break;
    case 'p':
        rbl_take_floats(source, &call->pose.p.x, 7);
        break;
    case 'f':
        take_filter(source, &call->filter);
        break;
    case 's':
        call->seconds = rbl_take_f32(source);
        break;
    case 'h':
        call->number = rbl_take_u64(source);
        break;
    case 'n':
        call->number = rbl_take_varint(source);
        break;
    case 'D':
        take_body_def(source, &call->body_def, shape);
        break;
    case 'P':
        take_breaking(source, call);
        break;
    default:
        take_joint_def(source, &call->joint_def);
        break;
    }
}

bool rbl_take_call(rblByteSource* source, rblCall* call, uint32_t* shape)
{
    const uint32_t code = rbl_take_u8(source);
    if (source->failed || code >= RBL_CALL_COUNT)
    {
        return false;
    }
    *call = (rblCall){.code = (rblCallCode)code};
    *shape = 0;
    for (const char* field = kinds[code].fields; *field != '\0'; ++field)
    {
        take_field(source, *field, call, shape);
    }
    return !source->failed;
}

// ---- shapes ----

// How many numbers make a primitive.
static uint32_t number_count(rblShapeKind kind)
{
    switch (kind)
    {
    case RBL_SHAPE_SPHERE:
        return 1;
    case RBL_SHAPE_CAPSULE:
    case RBL_SHAPE_CYLINDER:
        return 2;
    case RBL_SHAPE_PLANE:
    case RBL_SHAPE_BOX:
    case RBL_SHAPE_LEVEL_SET:
        return 3;
    default:
        return 0;
    }
}

static rblResult put_children(rblByteSink* sink, const rblCompound* compound, const rblRecipeNumbers* numbers)
{
    rbl_put_varint(sink, compound->count);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblCompoundChild* child = &compound->children[i];
        rbl_put_varint(sink, numbers->shape(child->shape, numbers->context));
        rbl_put_floats(sink, &child->pose.p.x, 3);
        rbl_put_floats(sink, &child->given.x, 4);
    }
    return RBL_OK;
}

rblResult rbl_put_recipe(rblByteSink* sink, const rblShape* shape, const rblRecipeNumbers* numbers)
{
    const rblShapeRecipe* recipe = &shape->recipe;
    const rblShapeKind kind = shape->view.kind;
    rblMeshView surface;
    if (kind == RBL_SHAPE_PIECE || shape->piece)
    {
        rbl_put_u8(sink, RBL_SHAPE_PIECE);
        return rbl_put_piece(sink, shape, numbers);
    }
    if (kind == RBL_SHAPE_USER)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "recording: the user-defined shape '%.100s' cannot be recorded",
                        rbl_shape_user_name(shape));
    }
    rbl_put_u8(sink, kind);
    rbl_put_floats(sink, recipe->numbers, number_count(kind));
    switch (kind)
    {
    case RBL_SHAPE_HULL:
        rbl_put_varint(sink, recipe->point_count);
        for (uint32_t i = 0; i < recipe->point_count; ++i)
        {
            rbl_put_floats(sink, &recipe->points[i].x, 3);
        }
        return RBL_OK;
    case RBL_SHAPE_LEVEL_SET:
        rbl_put_u32(sink, recipe->max_cells);
        RBL_TRY(rbl_mesh_view(shape->view.surface, &surface));
        rbl_put_mesh(sink, &surface);
        return RBL_OK;
    case RBL_SHAPE_FRAGMENT:
        return rbl_put_fragment(sink, shape,
                                numbers->event(rbl_shape_fragment(shape)->event, numbers->context));
    case RBL_SHAPE_COMPOUND:
        return put_children(sink, rbl_shape_compound(shape), numbers);
    default:
        return RBL_OK;
    }
}

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a shape is cut short or not possible");
}

static rblResult take_hull(rblByteSource* source, rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_take_count(source, sizeof(rblVec3));
    rblVec3* points = RBL_NEW_ARRAY(allocator, rblVec3, (size_t)count + 1);
    if (points == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_take_floats(source, &points[i].x, 3);
    }
    const rblResult result = source->failed ? damaged() : rbl_shape_create_hull(points, count, out);
    RBL_FREE_ARRAY(allocator, points, (size_t)count + 1);
    return result;
}

static rblResult take_level_set(rblByteSource* source, const float numbers[3], rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    def.error = numbers[0];
    def.cell = numbers[1];
    def.sample_spacing = numbers[2];
    def.max_cells = rbl_take_u32(source);
    RBL_TRY(rbl_take_mesh(source, rbl_default_allocator(), &def.mesh));
    const rblResult result = rbl_shape_create_level_set(&def, out);
    rbl_mesh_destroy(def.mesh);
    return result;
}

static rblResult take_compound(rblByteSource* source, const rblShapeId* shapes, uint32_t shape_count,
                               rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_take_count(source, 1 + 7 * sizeof(float));
    rblShapeChild* children = RBL_NEW_ARRAY(allocator, rblShapeChild, (size_t)count + 1);
    if (children == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t number = rbl_take_u32_varint(source);
        children[i].shape = number < shape_count ? shapes[number] : (rblShapeId){0};
        rbl_take_floats(source, &children[i].pose.p.x, 7);
    }
    const rblResult result = source->failed ? damaged() : rbl_shape_create_compound(children, count, out);
    RBL_FREE_ARRAY(allocator, children, (size_t)count + 1);
    return result;
}

rblResult rbl_take_recipe(rblByteSource* source, const rblRecipeTables* tables, rblShapeId* out)
{
    float n[3] = {0};
    const rblShapeKind kind = (rblShapeKind)rbl_take_u8(source);
    rbl_take_floats(source, n, number_count(kind));
    if (source->failed)
    {
        return damaged();
    }
    switch (kind)
    {
    case RBL_SHAPE_PLANE:
        return rbl_shape_create_plane((rblVec3){n[0], n[1], n[2]}, out);
    case RBL_SHAPE_SPHERE:
        return rbl_shape_create_sphere(n[0], out);
    case RBL_SHAPE_CAPSULE:
        return rbl_shape_create_capsule(n[0], n[1], out);
    case RBL_SHAPE_BOX:
        return rbl_shape_create_box((rblVec3){n[0], n[1], n[2]}, out);
    case RBL_SHAPE_CYLINDER:
        return rbl_shape_create_cylinder(n[0], n[1], out);
    case RBL_SHAPE_HULL:
        return take_hull(source, out);
    case RBL_SHAPE_LEVEL_SET:
        return take_level_set(source, n, out);
    case RBL_SHAPE_COMPOUND:
        return take_compound(source, tables->shapes, tables->shape_count, out);
    case RBL_SHAPE_PIECE:
        return rbl_take_piece(source, tables->shapes, tables->shape_count, out);
    case RBL_SHAPE_FRAGMENT:
        return rbl_take_fragment(source, tables, out);
    default:
        return damaged();
    }
}
