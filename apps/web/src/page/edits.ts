// What the panel changes about a scene is written into its JSON (docs/scenes.md), which is then loaded again:
// there is no other way to make a world, and the scene that one downloads is the one that one saw.
import type { Vec3 } from '../engine/protocol.ts';

export interface Edits {
    /** Undefined: as the scene has it. */
    method?: 'prescored' | 'stress' | 'none';
    pattern?: string;
    pieces?: number;
    material?: string;
    /** Factor. */
    strength?: number;
    /** Leave out what the scene has planned. */
    withoutEvents?: boolean;
}

interface Material {
    preset?: string;
    strength?: number;
    breakImpulse?: number;
    color?: Vec3;
    [key: string]: unknown;
}

interface Fracture {
    method?: string;
    pattern?: string;
    pieces?: number;
    tetrahedra?: number;
    [key: string]: unknown;
}

interface Body {
    shape: string;
    type?: string;
    material?: string;
    fracture?: Fracture;
    [key: string]: unknown;
}

export interface Joint {
    kind: string;
    a: string;
    anchorA?: Vec3;
    b?: string;
    anchorB?: Vec3;
    pointB?: Vec3;
    breakForce?: number;
}

export interface SceneText {
    rubble: number;
    about?: string;
    gravity?: Vec3;
    materials?: Record<string, Material>;
    shapes: Record<string, { kind: string; [key: string]: unknown }>;
    bodies: Body[];
    joints?: Joint[];
    events?: { spawn?: Body; [key: string]: unknown }[];
    [key: string]: unknown;
}

/** Tetrahedra of a body that the page makes break by stress: enough to see where cracks run, few enough for a
 * step to stay short. */
const fewTetrahedra = 1500;

/** Keys that the methods prescored and stress both have. */
const sharedKeys = ['generations', 'smallestBody', 'seed'];

export function isEdited(edits: Edits): boolean {
    return Object.values(edits).some((value) => value !== undefined && value !== false);
}

/** Strengths of the engine's presets, Pa: a scene has a strength as a number, not as a factor. */
type Strengths = ReadonlyMap<string, number>;

/** The same text when nothing is to be changed, so that hashes are those of the file. */
export function applyEdits(text: string, edits: Edits, strengths: Strengths): string {
    if (!isEdited(edits)) {
        return text;
    }
    const scene = JSON.parse(text) as SceneText;
    if (edits.withoutEvents === true) {
        delete scene.events;
    }
    for (const body of breakablesOf(scene)) {
        editMaterial(scene, body, edits, strengths);
        editFracture(body, edits);
    }
    return JSON.stringify(scene, null, 2);
}

/** Bodies that break; in a scene where none does, all that could. */
function breakablesOf(scene: SceneText): Body[] {
    const bodies = [
        ...scene.bodies,
        ...(scene.events ?? []).flatMap((event) => (event.spawn === undefined ? [] : [event.spawn])),
    ];
    const breaking = bodies.filter((body) => (body.fracture?.method ?? 'none') !== 'none');
    const others = bodies.filter(
        (body) => body.type !== 'static' && body.type !== 'kinematic' && presetOf(scene, body) !== 'steel',
    );
    return breaking.length > 0 ? breaking : others;
}

function presetOf(scene: SceneText, body: Body): string {
    const name = body.material ?? 'stone';
    const own = scene.materials?.[name];
    return own === undefined ? name : (own.preset ?? 'stone');
}

function editMaterial(scene: SceneText, body: Body, edits: Edits, strengths: Strengths): void {
    if (edits.material === undefined && edits.strength === undefined) {
        return;
    }
    const old = body.material ?? 'stone';
    const factor = edits.strength ?? 1;
    const preset = edits.material ?? presetOf(scene, body);
    const made: Material = { ...scene.materials?.[old], preset };
    if (edits.material !== undefined) {
        // Another stuff has its own figures; only what was said about breaking stays.
        const { breakImpulse } = made;
        for (const key of Object.keys(made)) {
            delete made[key];
        }
        Object.assign(made, { preset }, breakImpulse === undefined ? {} : { breakImpulse });
    }
    if (factor !== 1) {
        const strength = made.strength ?? strengths.get(preset);
        if (strength !== undefined) {
            made.strength = strength * factor;
        }
        if (made.breakImpulse !== undefined) {
            made.breakImpulse *= factor;
        }
    }
    const name = `${old}, edited`;
    scene.materials = { ...scene.materials, [name]: made };
    body.material = name;
}

/** A method accepts its own keys only: another method keeps those that both have. */
function withMethod(fracture: Fracture, method: string): Fracture {
    if (method === (fracture.method ?? 'none')) {
        return fracture;
    }
    const kept = method === 'none' ? [] : sharedKeys.filter((key) => key in fracture);
    return { method, ...Object.fromEntries(kept.map((key) => [key, fracture[key]])) };
}

function editFracture(body: Body, edits: Edits): void {
    const { method, pattern, pieces } = edits;
    if (method === undefined && pattern === undefined && pieces === undefined) {
        return;
    }
    const own = body.fracture?.method ?? 'none';
    const fracture = withMethod(body.fracture ?? {}, method ?? (own === 'none' ? 'prescored' : own));
    if (fracture.method === 'prescored' && pattern !== undefined) {
        fracture.pattern = pattern;
    }
    if (fracture.method === 'prescored' && pieces !== undefined) {
        fracture.pieces = pieces;
    }
    if (fracture.method === 'stress') {
        fracture.tetrahedra ??= fewTetrahedra;
    }
    body.fracture = fracture;
}

/** Colours that a scene gives its materials: others are left to the page. */
export function colorsOf(scene: SceneText): Map<string, Vec3> {
    const colors = new Map<string, Vec3>();
    for (const [name, material] of Object.entries(scene.materials ?? {})) {
        if (material.color !== undefined) {
            colors.set(name, material.color);
        }
    }
    return colors;
}

export interface Box {
    low: Vec3;
    high: Vec3;
}

/** A scene with one breakable body of a dropped mesh, half a metre large, standing on a floor. */
export function sceneOfMesh(name: string, file: string, box: Box): string {
    const size = box.high.map((high, k) => high - box.low[k]!);
    const scale = 0.5 / Math.max(...size, 1e-9);
    const height = size[1]! * scale;
    const wide = Math.max(size[0]!, size[2]!) * scale;
    const middle = (k: number): number => -0.5 * (box.low[k]! + box.high[k]!) * scale;
    const scene: SceneText = {
        rubble: 1,
        about: 'Your mesh, half a metre large. Break it.',
        step: 1 / 30,
        duration: 10,
        shapes: { ground: { kind: 'plane' }, mesh: { kind: 'mesh', file, height } },
        bodies: [
            { name: 'floor', shape: 'ground', type: 'static', material: 'stone' },
            {
                name,
                shape: 'mesh',
                material: 'ceramic',
                position: [middle(0), -box.low[1] * scale + 0.001, middle(2)],
                fracture: { method: 'prescored', pattern: 'clustered', pieces: 35, generations: 2 },
            },
        ],
        camera: {
            eye: [0.5 + 0.5 * wide, 0.25 + 0.6 * height, 0.9 + wide],
            target: [0, 0.45 * height, 0],
            fov: 40,
        },
    };
    return JSON.stringify(scene, null, 2);
}
