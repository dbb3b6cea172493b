// The engine as an object: calls into WebAssembly with their arguments checked and copied, and results as
// typed arrays. Layouts are those of apps/web/engine/*.h, in 32-bit words.
import type { BodyInfo, Camera, MaterialInfo, Overlay, Overlays, Preset, Stats, Vec3 } from './protocol.ts';
import { Wasi } from './wasi.ts';
import type { MemoryFiles } from './wasi.ts';

/** Of 64 KiB. */
const INITIAL_PAGES = 256;
/** 2 GiB: more than any scene of the page needs, and addresses stay positive. */
const MAXIMUM_PAGES = 32768;

const RESULT_MEMORY = 3;

const MOVABLE = 1;
const BREAKABLE = 2;
const PLANE = 4;
const NEW_MESH = 8;
const BODY_WORDS = 20;
const NUMBERS_AT = 40; // bytes into a frame

/** Of the numbers of a frame after the first ones, in their order. */
export const STAGES = 'broad narrow impact fracture solve integrate drift sleep update'.split(' ');
const FIRST_STAGE = 14;

const OVERLAY_BITS: Record<keyof Overlays, number> = {
    contacts: 1,
    samples: 2,
    fields: 4,
    islands: 8,
    stress: 16,
    boxes: 32,
};

interface Exports {
    memory?: WebAssembly.Memory;
    _initialize(): void;
    web_alloc(size: number): number;
    web_free(memory: number): void;
    web_error(): number;
    web_version(): number;
    web_text(): number;
    web_load(text: number, size: number, name: number): number;
    web_describe(): number;
    web_presets(): number;
    web_step(): number;
    web_kept_seconds(): number;
    web_look(): number;
    web_frame(): number;
    web_draw_mesh(mesh: number): number;
    web_drawn(): number;
    web_draw_overlay(what: number): number;
    web_overlay(): number;
    web_throw(
        x: number,
        y: number,
        z: number,
        vx: number,
        vy: number,
        vz: number,
        radius: number,
        material: number,
    ): number;
    web_break(x: number, y: number, z: number, dx: number, dy: number, dz: number): number;
    web_grab(x: number, y: number, z: number, dx: number, dy: number, dz: number, point: number): number;
    web_grabbed(): number;
    web_drag(x: number, y: number, z: number): number;
    web_release(): void;
    web_actions(): number;
    web_import(bytes: number, size: number, name: number): number;
    web_import_mend(): number;
    web_import_finish(): number;
    web_imported(): number;
    web_forget_import(): void;
    web_export_run(path: number): number;
    web_export_pieces(): number;
}

/** A call that the engine refused. With `memory` there was not enough of it. */
export class EngineError extends Error {
    constructor(
        message: string,
        readonly memory = false,
    ) {
        super(message);
    }
}

export interface SceneFacts {
    about: string;
    seed: number;
    step: number;
    duration: number;
    camera?: Camera;
    materials: MaterialInfo[];
}

/** What web_look() found. */
export interface Look {
    step: number;
    time: number;
    slots: number;
    added: BodyInfo[];
    /** Numbers of meshes that the bodies added are the first to have. */
    newMeshes: number[];
    removed: number[];
    hash: string;
    grabbed: number;
    stats: Stats;
}

export interface DrawnMesh {
    positions: Float32Array;
    normals: Float32Array;
    indices: Uint32Array;
    crackStart: number;
}

export interface ImportedMesh {
    solid: boolean;
    triangles: number;
    size: Vec3;
    verdict: string;
    bytes: Uint8Array;
}

export interface EngineOptions {
    /** Of memory, 64 KiB each; default 2 GiB. */
    maximumPages?: number;
    log?: (line: string) => void;
}

export class Engine {
    private readonly encoder = new TextEncoder();
    private readonly decoder = new TextDecoder();

    private constructor(
        private readonly exports: Exports,
        private readonly memory: WebAssembly.Memory,
        readonly files: MemoryFiles,
    ) {}

    static async create(module: WebAssembly.Module, options: EngineOptions = {}): Promise<Engine> {
        const maximum = options.maximumPages ?? MAXIMUM_PAGES;
        const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
        const wasi = new Wasi(memory, options.log ?? ((line) => console.log(line)));
        const instance = await WebAssembly.instantiate(module, {
            env: { memory },
            wasi_snapshot_preview1: wasi.imports(),
        });
        const exports = instance.exports as unknown as Exports;
        exports._initialize();
        return new Engine(exports, memory, wasi.files);
    }

    get version(): string {
        return this.text(this.exports.web_version());
    }

    get presets(): Preset[] {
        this.check(this.exports.web_presets());
        return JSON.parse(this.text(this.exports.web_text())) as Preset[];
    }

    get memoryBytes(): number {
        return this.memory.buffer.byteLength;
    }

    // ---- scenes ----

    load(text: string, name: string): void {
        const bytes = this.encoder.encode(text);
        this.withBytes(bytes, (at) =>
            this.withText(name, (nameAt) => this.check(this.exports.web_load(at, bytes.length, nameAt))),
        );
    }

    describe(): SceneFacts {
        this.check(this.exports.web_describe());
        return JSON.parse(this.text(this.exports.web_text())) as SceneFacts;
    }

    step(): void {
        this.check(this.exports.web_step());
    }

    /** Seconds of the run that the animation has. */
    get keptSeconds(): number {
        return this.exports.web_kept_seconds();
    }

    /** Seconds that were simulated, as of the last look. */
    get time(): number {
        const frame = this.exports.web_frame();
        return frame === 0 ? 0 : new Float64Array(this.memory.buffer, frame + NUMBERS_AT, 1)[0]!;
    }

    // ---- what is seen ----

    look(): Look {
        this.check(this.exports.web_look());
        const frame = this.exports.web_frame();
        const words = new Uint32Array(this.memory.buffer, frame, NUMBERS_AT / 4);
        const numbers = new Float64Array(this.memory.buffer, frame + NUMBERS_AT, FIRST_STAGE + STAGES.length);
        const [step, slots, , addedCount, added, removedCount, removed, hashLow, hashHigh, grabbed] =
            numbersOf(words);
        const newMeshes: number[] = [];
        return {
            step: step!,
            time: numbers[0]!,
            slots: slots!,
            added: this.readBodies(added!, addedCount!, newMeshes),
            newMeshes,
            removed: Array.from(new Uint32Array(this.memory.buffer, removed!, removedCount!)),
            hash: hex(hashHigh!) + hex(hashLow!),
            grabbed: grabbed! | 0,
            stats: this.readStats(numbers),
        };
    }

    /** Copy the poses of the last look into a buffer of sufficient size. */
    copyPoses(into: ArrayBuffer): void {
        const words = new Uint32Array(this.memory.buffer, this.exports.web_frame(), 3);
        const count = words[1]! * 8;
        new Float32Array(into).set(new Float32Array(this.memory.buffer, words[2]!, count));
    }

    mesh(number: number): DrawnMesh {
        this.check(this.exports.web_draw_mesh(number));
        const words = new Uint32Array(this.memory.buffer, this.exports.web_drawn(), 6);
        const [positions, normals, indices, vertexCount, indexCount, crackStart] = numbersOf(words);
        const { buffer } = this.memory;
        return {
            positions: new Float32Array(buffer, positions!, 3 * vertexCount!).slice(),
            normals: new Float32Array(buffer, normals!, 3 * vertexCount!).slice(),
            indices: new Uint32Array(buffer, indices!, indexCount!).slice(),
            crackStart: crackStart!,
        };
    }

    overlay(overlays: Overlays): Overlay | undefined {
        let bits = 0;
        for (const key of Object.keys(OVERLAY_BITS) as (keyof Overlays)[]) {
            bits |= overlays[key] ? OVERLAY_BITS[key] : 0;
        }
        if (bits === 0) {
            return undefined;
        }
        this.check(this.exports.web_draw_overlay(bits));
        const words = new Uint32Array(this.memory.buffer, this.exports.web_overlay(), 4);
        const [lines, lineFloats, points, pointFloats] = numbersOf(words);
        return {
            lines: new Float32Array(this.memory.buffer, lines!, lineFloats!).slice(),
            points: new Float32Array(this.memory.buffer, points!, pointFloats!).slice(),
        };
    }

    // ---- the hand ----

    throwBall(origin: Vec3, velocity: Vec3, radius: number, material: string): void {
        this.withText(material, (at) =>
            this.check(this.exports.web_throw(...origin, ...velocity, radius, at)),
        );
    }

    breakAt(origin: Vec3, direction: Vec3): void {
        this.check(this.exports.web_break(...origin, ...direction));
    }

    /** The slot of what is held; -1: nothing. */
    get grabbed(): number {
        return this.exports.web_grabbed() | 0;
    }

    /** The point that was met. */
    grab(origin: Vec3, direction: Vec3): Vec3 {
        return this.withBytes(new Uint8Array(12), (at) => {
            this.check(this.exports.web_grab(...origin, ...direction, at));
            const [x, y, z] = new Float32Array(this.memory.buffer, at, 3);
            return [x!, y!, z!];
        });
    }

    drag(target: Vec3): void {
        this.check(this.exports.web_drag(...target));
    }

    release(): void {
        this.exports.web_release();
    }

    /** Shapes and events that a scene needs to show what the user did. */
    actions(): { shapes: Record<string, unknown>; events: unknown[] } {
        this.check(this.exports.web_actions());
        return JSON.parse(this.text(this.exports.web_text()));
    }

    // ---- files ----

    /** `tell` hears what is done next: a large mesh takes a while. */
    importMesh(bytes: Uint8Array, name: string, tell: (text: string) => void = () => {}): ImportedMesh {
        const triangles = (): string => {
            const count = new Uint32Array(this.memory.buffer, this.exports.web_imported(), 2)[1]!;
            return `${count.toLocaleString('en')} triangles`;
        };
        tell(`Reading ${name}`);
        this.withBytes(bytes, (at) =>
            this.withText(name, (nameAt) => this.check(this.exports.web_import(at, bytes.length, nameAt))),
        );
        tell(`Mending ${name}, ${triangles()}`);
        this.check(this.exports.web_import_mend());
        tell(`Making ${name} ready, ${triangles()}`);
        this.check(this.exports.web_import_finish());
        const at = this.exports.web_imported();
        const words = new Uint32Array(this.memory.buffer, at, 8);
        const [x, y, z] = new Float32Array(this.memory.buffer, at + 8, 3);
        const mesh: ImportedMesh = {
            solid: words[0] !== 0,
            triangles: words[1]!,
            size: [x!, y!, z!],
            verdict: this.text(words[5]!),
            bytes: new Uint8Array(this.memory.buffer, words[6]!, words[7]!).slice(),
        };
        this.exports.web_forget_import();
        return mesh;
    }

    /** The run so far as an animated GLB. */
    exportRun(): Uint8Array {
        const name = 'run.glb';
        this.files.remove(name);
        this.withText(name, (at) => this.check(this.exports.web_export_run(at)));
        return this.files.take(name)!;
    }

    /** The pieces as they lie, and a list of them. */
    exportPieces(): { name: string; bytes: Uint8Array }[] {
        this.check(this.exports.web_export_pieces());
        const text = this.text(this.exports.web_text());
        const list = JSON.parse(text) as { file: string }[];
        const pieces = list.map(({ file }) => ({ name: file, bytes: this.files.take(file)! }));
        return [{ name: 'pieces.json', bytes: this.encoder.encode(text) }, ...pieces];
    }

    // ---- memory ----

    private check(result: number): void {
        if (result !== 0) {
            throw new EngineError(this.text(this.exports.web_error()), result === RESULT_MEMORY);
        }
    }

    private text(at: number): string {
        const bytes = new Uint8Array(this.memory.buffer);
        return this.decoder.decode(bytes.slice(at, bytes.indexOf(0, at)));
    }

    private withBytes<T>(bytes: Uint8Array, use: (at: number) => T): T {
        const at = this.exports.web_alloc(bytes.length);
        if (at === 0) {
            throw new EngineError(`there is no memory for ${bytes.length} bytes`, true);
        }
        try {
            new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
            return use(at);
        } finally {
            this.exports.web_free(at);
        }
    }

    private withText<T>(text: string, use: (at: number) => T): T {
        return this.withBytes(this.encoder.encode(`${text}\0`), use);
    }

    private readBodies(at: number, count: number, newMeshes: number[]): BodyInfo[] {
        const words = new Uint32Array(this.memory.buffer, at, count * BODY_WORDS);
        const floats = new Float32Array(this.memory.buffer, at, count * BODY_WORDS);
        const vector = (i: number): Vec3 => [floats[i]!, floats[i + 1]!, floats[i + 2]!];
        const bodies: BodyInfo[] = [];
        for (let i = 0; i < count * BODY_WORDS; i += BODY_WORDS) {
            const flags = words[i + 4]!;
            const mesh = words[i + 3]! | 0;
            if (flags & NEW_MESH) {
                newMeshes.push(mesh);
            }
            bodies.push({
                slot: words[i]!,
                serial: words[i + 1]!,
                name: this.text(words[i + 5]!),
                mesh,
                ...(flags & PLANE ? { plane: vector(i + 10) } : {}),
                material: this.text(words[i + 6]!),
                color: vector(i + 7),
                parent: words[i + 2]! | 0,
                movable: (flags & MOVABLE) !== 0,
                breakable: (flags & BREAKABLE) !== 0,
                center: vector(i + 13),
                outward: vector(i + 16),
                radius: floats[i + 19]!,
            });
        }
        return bodies;
    }

    private readStats(n: Float64Array): Stats {
        return {
            bodies: n[1]!,
            awake: n[2]!,
            fragments: n[3]!,
            contacts: n[4]!,
            islands: n[5]!,
            breaks: n[6]!,
            energy: {
                kinetic: n[7]!,
                potential: n[8]!,
                work: n[9]!,
                dissipated: n[10]!,
                surface: n[11]!,
                heat: n[12]!,
            },
            stages: Array.from(n.subarray(FIRST_STAGE)),
            stepMs: n[13]!,
            memory: this.memoryBytes,
        };
    }
}

function numbersOf(words: Uint32Array): number[] {
    return Array.from(words);
}

function hex(word: number): string {
    return (word >>> 0).toString(16).padStart(8, '0');
}
