// What crosses between a page and the worker that runs the engine. Plain data only: typed arrays are
// transferred, never copied, and buffers of frames go back to be filled again.

export type Vec3 = [number, number, number];

/** A scene as its file has it (docs/scenes.md), and the mesh files that its shapes name. */
export interface SceneSource {
    name: string;
    text: string;
    files?: SceneFile[];
}

export interface SceneFile {
    name: string;
    bytes: ArrayBuffer;
}

export interface Camera {
    eye: Vec3;
    target: Vec3;
    /** From bottom to top, degrees. */
    fov: number;
}

export interface MaterialInfo {
    name: string;
    /** The preset that it began as; empty when that is not known. */
    preset: string;
    /** Linear red, green, blue. */
    color: Vec3;
}

/** A stuff that the engine knows by name. */
export interface Preset {
    name: string;
    /** Pa. */
    strength: number;
}

/** What is drawn over the bodies to explain the engine. */
export interface Overlays {
    contacts: boolean;
    samples: boolean;
    fields: boolean;
    islands: boolean;
    stress: boolean;
    boxes: boolean;
}

// ---- page to worker ----

export type Command =
    /** First of all, and once: the compiled engine. EngineClient sends it; answers 'ready'. */
    | { kind: 'start'; module: WebAssembly.Module; wasmBytes: number }
    /** Builds a world; answers 'loaded' or 'failed'. Meshes, bodies and the first frame follow. A scene
     * that fails leaves the one before as it was. */
    | { kind: 'load'; id: number; scene: SceneSource; seed?: number }
    /** Speed 1 is real time, 0.1 slow motion. The worker paces itself by its own clock. */
    | { kind: 'play'; playing: boolean; speed: number }
    /** Single steps while paused. */
    | { kind: 'step'; count: number }
    /** The same scene from the start, with another seed where one is given. Answers like 'load', with id
     * 0. */
    | { kind: 'reset'; seed?: number }
    /** A ball; `material` is a preset or one of the scene's. */
    | { kind: 'throw'; origin: Vec3; velocity: Vec3; radius: number; material: string }
    /** Take what a ray meets; a spring pulls the point that was met towards the targets that follow. */
    | { kind: 'grab'; origin: Vec3; direction: Vec3 }
    | { kind: 'drag'; target: Vec3 }
    | { kind: 'release' }
    /** Break the body that a ray meets, there. */
    | { kind: 'break'; origin: Vec3; direction: Vec3 }
    | ({ kind: 'overlays' } & Overlays)
    /** A mesh file: read and mended; answers 'imported' or 'failed'. */
    | { kind: 'import'; id: number; name: string; bytes: ArrayBuffer }
    /** The run so far as an animated GLB, the pieces as a zip, or the scene with what the user did as
     * events; answers 'exported' or 'failed'. */
    | { kind: 'export'; id: number; what: ExportKind }
    /** The buffer of a frame that is no longer drawn. */
    | { kind: 'recycle'; buffer: ArrayBuffer };

export type ExportKind = 'glb' | 'pieces' | 'scene';

// ---- worker to page ----

/** `flags` in frames. */
export const BODY_THERE = 1;
export const BODY_AWAKE = 2;

/** Floats per slot in frames: position, quaternion (x y z w), flags. */
export const FRAME_STRIDE = 8;

export interface BodyInfo {
    /** Its place in frames. Used again when the body is gone: apply `removed` first. */
    slot: number;
    /** Of the run: never used again. */
    serial: number;
    name: string;
    /** Number of a 'mesh' report; -1: nothing to draw, or a plane. */
    mesh: number;
    /** Unit, out of the solid: this body is a half space through its position. */
    plane?: Vec3;
    /** Place in `materials` of 'loaded'; balls may have others, see `color`. */
    material: string;
    /** Linear red, green, blue. */
    color: Vec3;
    /** Serial of the body that it is a piece of; -1: of none. */
    parent: number;
    movable: boolean;
    breakable: boolean;
    /** Centre of mass in the axes of its shape. */
    center: Vec3;
    /** Where its centre of mass was from that of the body as it was before anything broke, in the axes of
     * its shape: the way of an exploded view. Zero for what is whole. */
    outward: Vec3;
    /** Of the ball about the centre that holds it, metres. */
    radius: number;
}

export interface Energy {
    /** Joules, now. */
    kinetic: number;
    potential: number;
    /** Joules since the start. Kinetic and potential energy change by work less what was dissipated. */
    work: number;
    dissipated: number;
    /** Part of what was dissipated: crack faces, and what impacts that broke bodies lost beyond that. */
    surface: number;
    heat: number;
}

export interface Stats {
    bodies: number;
    awake: number;
    fragments: number;
    contacts: number;
    islands: number;
    breaks: number;
    energy: Energy;
    /** Milliseconds of the last step, in the order of `stages` in 'ready'. */
    stages: number[];
    /** Milliseconds of the last step, all of it. */
    stepMs: number;
    /** Bytes of the engine's memory. */
    memory: number;
}

/** Lines and points over the bodies, world axes. Colours are 0 to 1, as screens have them (sRGB). */
export interface Overlay {
    /** x, y, z, red, green, blue for each end. */
    lines: Float32Array;
    /** x, y, z, size in pixels, red, green, blue. */
    points: Float32Array;
}

export interface Imported {
    kind: 'imported';
    id: number;
    name: string;
    /** One or two sentences: what was wrong with it and what was done. */
    verdict: string;
    /** Whether it encloses a volume: only then can a scene use it. */
    solid: boolean;
    triangles: number;
    size: Vec3;
    /** The mended mesh, for the files of a scene. */
    file: SceneFile;
}

export type Report =
    | { kind: 'ready'; version: string; wasmBytes: number; stages: string[]; presets: Preset[] }
    | {
          kind: 'loaded';
          id: number;
          name: string;
          about: string;
          seed: number;
          /** Seconds of a step. */
          step: number;
          /** Seconds that the scene is meant to last; the worker goes on after that. */
          duration: number;
          camera?: Camera;
          materials: MaterialInfo[];
      }
    /** A message that a person can act on. Id 0: an answer to a command without one. With `paused` a step
     * failed while the scene played, and it plays no more. */
    | { kind: 'failed'; id: number; message: string; paused?: boolean }
    /** What is done now for a command that takes long. */
    | { kind: 'progress'; text: string }
    /** Out of memory, or an error of the engine's own: this worker is of no more use. */
    | { kind: 'fatal'; message: string }
    /** Meshes come before the bodies that use them. Triangles from `crackStart` on (a place in `indices`)
     * are crack faces. Numbers are used again after 'loaded' only. */
    | {
          kind: 'mesh';
          mesh: number;
          positions: Float32Array;
          normals: Float32Array;
          indices: Uint32Array;
          crackStart: number;
      }
    /** Apply `removed` (slots), then `added`. */
    | { kind: 'bodies'; added: BodyInfo[]; removed: number[] }
    /** Bodies come before the frames that use them. */
    | {
          kind: 'frame';
          step: number;
          /** Seconds of simulated time. */
          time: number;
          slots: number;
          /** Float32: FRAME_STRIDE numbers for each slot. Send it back with 'recycle'. */
          buffer: ArrayBuffer;
          stats: Stats;
          hash: string;
          overlay?: Overlay;
      }
    /** What 'grab' took; slot -1: nothing that can be moved is there. */
    | { kind: 'grabbed'; slot: number; point: Vec3 }
    | Imported
    /** `note`: what a person should know about the file. */
    | { kind: 'exported'; id: number; name: string; mime: string; bytes: ArrayBuffer; note?: string };

/** What a report carries that is to be transferred. */
export function transfersOf(report: Report): ArrayBuffer[] {
    switch (report.kind) {
        case 'mesh':
            return [report.positions.buffer, report.normals.buffer, report.indices.buffer] as ArrayBuffer[];
        case 'frame':
            return [report.buffer, ...buffersOf(report.overlay)];
        case 'imported':
            return [report.file.bytes];
        case 'exported':
            return [report.bytes];
        default:
            return [];
    }
}

function buffersOf(overlay: Overlay | undefined): ArrayBuffer[] {
    return overlay === undefined ? [] : ([overlay.lines.buffer, overlay.points.buffer] as ArrayBuffer[]);
}
