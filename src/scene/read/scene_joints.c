#include "io/json/json_values.h"
#include "scene/read/scene.h"

static const char* const joint_keys[] = {"kind",    "a",          "b",          "anchorA",    "anchorB",
                                         "pointB",  "length",     "axis",       "breakForce", "stiffness",
                                         "damping", "maxForce",   "collide",    "lower",      "upper",
                                         "swing",   "motorSpeed", "motorForce", NULL};
static const char* const joint_kinds[] = {"distance", "rope",   "ball",   "hinge",
                                          "fixed",    "spring", "slider", NULL}; // as rblJointKind

// Check a key that only some kinds have.
static rblResult check_use(rblJson json, const char* key, bool used, const char* by)
{
    const rblJson value = rbl_json_find(json, key);
    return used || !rbl_json_exists(value)
               ? RBL_OK
               : rbl_json_fail(value, RBL_ERROR_FORMAT, "only %s have this key", by);
}

static rblResult check_keys_of_kind(rblJson json, rblJointKind kind)
{
    const bool spring = kind == RBL_JOINT_SPRING;
    RBL_TRY(rbl_check_keys(json, joint_keys));
    RBL_TRY(check_use(json, "length", kind == RBL_JOINT_DISTANCE || kind == RBL_JOINT_ROPE,
                      "distance joints and ropes"));
    const bool ball = kind == RBL_JOINT_BALL;
    const bool moves = kind == RBL_JOINT_HINGE || kind == RBL_JOINT_SLIDER;
    RBL_TRY(check_use(json, "axis", moves || ball, "hinges, sliders and ball joints"));
    RBL_TRY(check_use(json, "lower", moves || ball, "hinges, sliders and ball joints"));
    RBL_TRY(check_use(json, "upper", moves || ball, "hinges, sliders and ball joints"));
    RBL_TRY(check_use(json, "swing", ball, "ball joints"));
    RBL_TRY(check_use(json, "motorSpeed", moves, "hinges and sliders"));
    RBL_TRY(check_use(json, "motorForce", moves, "hinges and sliders"));
    RBL_TRY(check_use(json, "stiffness", spring, "springs"));
    RBL_TRY(check_use(json, "damping", spring, "springs"));
    return check_use(json, "maxForce", spring, "springs");
}

// Read the other end: a body and a point of it, or a point of the world.
static rblResult read_other_end(const rblScene* scene, rblJson json, rblSceneJoint* joint)
{
    const rblJson body = rbl_json_find(json, "b");
    const rblJson anchor = rbl_json_find(json, "anchorB");
    const rblJson point = rbl_json_find(json, "pointB");
    joint->b = RBL_NONE;
    if (rbl_json_exists(body))
    {
        if (rbl_json_exists(point))
        {
            return rbl_json_fail(point, RBL_ERROR_FORMAT, "pointB and b must not both be given");
        }
        RBL_TRY(rbl_scene_lookup_body(scene, body, &joint->b));
    }
    else if (rbl_json_exists(anchor))
    {
        return rbl_json_fail(anchor, RBL_ERROR_FORMAT,
                             "there is no body b; use 'pointB' for a point of the world");
    }
    const rblJson position = rbl_json_exists(body) ? anchor : point;
    joint->has_anchor_b = rbl_json_exists(position);
    return joint->has_anchor_b ? rbl_get_vector(position, RBL_ANY_NUMBER, &joint->def.anchor_b) : RBL_OK;
}

static rblResult check_ends(const rblScene* scene, rblJson json, const rblSceneJoint* joint)
{
    const rblSceneBody* a = &scene->bodies.data[joint->a];
    const rblSceneBody* b = joint->b != RBL_NONE ? &scene->bodies.data[joint->b] : NULL;
    if (joint->a == joint->b)
    {
        return rbl_json_fail(rbl_json_find(json, "b"), RBL_ERROR_FORMAT, "a and b must be different bodies");
    }
    if (a->event != RBL_NONE || (b != NULL && b->event != RBL_NONE))
    {
        return rbl_json_fail(rbl_json_find(json, a->event != RBL_NONE ? "a" : "b"), RBL_ERROR_FORMAT,
                             "the body is spawned later; a joint needs bodies that exist from the start");
    }
    if (a->type != RBL_BODY_DYNAMIC && (b == NULL || b->type != RBL_BODY_DYNAMIC))
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "one of the two bodies must be dynamic");
    }
    return RBL_OK;
}

static rblResult read_numbers(rblJson json, rblJointDef* def)
{
    const rblJson axis = rbl_json_find(json, "axis");
    RBL_TRY(rbl_optional_vector(json, "anchorA", &def->anchor_a));
    RBL_TRY(rbl_optional_float(json, "length", RBL_POSITIVE, &def->length));
    RBL_TRY(rbl_optional_float(json, "breakForce", RBL_POSITIVE, &def->break_force));
    RBL_TRY(rbl_optional_float(json, "stiffness", RBL_POSITIVE, &def->stiffness));
    RBL_TRY(rbl_optional_float(json, "damping", RBL_NOT_NEGATIVE, &def->damping));
    RBL_TRY(rbl_optional_float(json, "maxForce", RBL_POSITIVE, &def->max_force));
    RBL_TRY(rbl_json_optional_bool(json, "collide", &def->collide));
    RBL_TRY(rbl_optional_float(json, "lower", RBL_ANY_NUMBER, &def->lower));
    RBL_TRY(rbl_optional_float(json, "upper", RBL_ANY_NUMBER, &def->upper));
    RBL_TRY(rbl_optional_float(json, "swing", RBL_NOT_NEGATIVE, &def->swing));
    RBL_TRY(rbl_optional_float(json, "motorSpeed", RBL_ANY_NUMBER, &def->motor_speed));
    RBL_TRY(rbl_optional_float(json, "motorForce", RBL_NOT_NEGATIVE, &def->motor_force));
    return rbl_json_exists(axis) ? rbl_get_direction(axis, &def->axis) : RBL_OK;
}

static rblResult read_joint(rblScene* scene, rblJson json)
{
    rblJson kind;
    rblJson a;
    uint32_t number = 0;
    rblSceneJoint joint = {.def = rbl_default_joint_def()};
    RBL_TRY(rbl_json_expect(json, RBL_JSON_OBJECT));
    RBL_TRY(rbl_json_require(json, "kind", &kind));
    RBL_TRY(rbl_get_choice(kind, "kind of joint", joint_kinds, &number));
    joint.def.kind = (rblJointKind)number;
    RBL_TRY(check_keys_of_kind(json, joint.def.kind));
    RBL_TRY(rbl_json_require(json, "a", &a));
    RBL_TRY(rbl_scene_lookup_body(scene, a, &joint.a));
    RBL_TRY(read_numbers(json, &joint.def));
    RBL_TRY(read_other_end(scene, json, &joint));
    RBL_TRY(check_ends(scene, json, &joint));
    const bool added = rbl_array_push(&scene->joints, joint) && rbl_array_push(&scene->joint_jsons, json);
    return added ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_scene_read_joints(rblScene* scene, rblJson root)
{
    const rblJson joints = rbl_json_find(root, "joints");
    if (!rbl_json_exists(joints))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(joints, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(joints); ++i)
    {
        RBL_TRY(read_joint(scene, rbl_json_item(joints, i)));
    }
    return RBL_OK;
}
