#include "scene/record/call_codec.h"

#include "base/error.h"
#include "scene/record/recording_format.h"

// ---- calls ----

// Every kind of call as a list of its fields, one letter each (see put_field()).
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
    [RBL_CALL_BODY_SET_TYPE] = {"set a type", "bt"},
    [RBL_CALL_BODY_SET_MATERIAL] = {"set a material", "bm"},
    [RBL_CALL_BODY_SET_BREAKER] = {"set a breaker", "bP"},
    [RBL_CALL_BODY_SET_GRAVITY_SCALE] = {"set a gravity scale", "bg"},
    [RBL_CALL_JOINT_SET_LIMITS] = {"set the limits of a joint", "j1"},
    [RBL_CALL_JOINT_SET_MOTOR] = {"set the motor of a joint", "j1"},
    [RBL_CALL_SENSOR_CREATE] = {"create a sensor", "Db"},
    [RBL_CALL_AXIS_CREATE] = {"create a joint with limits or a motor", "JAj"},
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
    rbl_put_floats(sink, &def->material.density, RBL_RECORDED_MATERIAL);
    rbl_put_floats(sink, &def->pose.p.x, 7);
    rbl_put_floats(sink, &def->velocity.x, 3);
    rbl_put_floats(sink, &def->spin.x, 3);
    rbl_put_f32(sink, def->mass);
    rbl_put_f32(sink, def->gravity_scale);
    put_filter(sink, &def->filter);
    rbl_put_u8(sink, def->asleep);
}

static void put_breaking(rblByteSink* sink, const rblCall* call)
{
    rbl_put_u8(sink, call->body_def.anchor.kind);
    rbl_put_floats(sink, &call->body_def.anchor.box.lower.x, 6);
    rbl_put_varint(sink, call->breaker);
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

// Limits and motor of a joint.
static void put_axis(rblByteSink* sink, const rblJointDef* def)
{
    const float numbers[5] = {def->lower, def->upper, def->swing, def->motor_speed, def->motor_force};
    rbl_put_floats(sink, numbers, 5);
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
    case 'A':
        put_axis(sink, &call->joint_def);
        break;
    case 't':
        rbl_put_u8(sink, call->body_def.type);
        break;
    case 'm':
        rbl_put_floats(sink, &call->body_def.material.density, RBL_RECORDED_MATERIAL);
        break;
    case 'g':
        rbl_put_f32(sink, call->body_def.gravity_scale);
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
    rbl_take_floats(source, &def->material.density, RBL_RECORDED_MATERIAL);
    rbl_take_floats(source, &def->pose.p.x, 7);
    rbl_take_floats(source, &def->velocity.x, 3);
    rbl_take_floats(source, &def->spin.x, 3);
    def->mass = rbl_take_f32(source);
    def->gravity_scale = rbl_take_f32(source);
    take_filter(source, &def->filter);
    def->asleep = rbl_take_u8(source) != 0;
}

static void take_breaking(rblByteSource* source, rblCall* call)
{
    call->body_def.anchor.kind = (rblAnchorKind)rbl_take_u8(source);
    rbl_take_floats(source, &call->body_def.anchor.box.lower.x, 6);
    call->breaker = rbl_take_u32_varint(source);
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

static void take_axis(rblByteSource* source, rblJointDef* def)
{
    float numbers[5];
    rbl_take_floats(source, numbers, 5);
    def->lower = numbers[0];
    def->upper = numbers[1];
    def->swing = numbers[2];
    def->motor_speed = numbers[3];
    def->motor_force = numbers[4];
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
    case 'A':
        take_axis(source, &call->joint_def);
        break;
    case 't':
        call->body_def.type = (rblBodyType)rbl_take_u8(source);
        break;
    case 'm':
        rbl_take_floats(source, &call->body_def.material.density, RBL_RECORDED_MATERIAL);
        break;
    case 'g':
        call->body_def.gravity_scale = rbl_take_f32(source);
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
    call->body_def.sensor = code == RBL_CALL_SENSOR_CREATE;
    return !source->failed;
}
