// What the worker does, without the worker: commands in, reports out, and a clock of its own. Runs wherever
// there is a clock.
import { Engine, EngineError, STAGES } from './engine.ts';
import type { EngineOptions } from './engine.ts';
import { FRAME_STRIDE, transfersOf } from './protocol.ts';
import type { Command, ExportKind, Overlays, Report, SceneFile, SceneSource } from './protocol.ts';
import { ExitError } from './wasi.ts';
import { zip } from './zip.ts';

/** Steps in one go: what the clock is further ahead, because the tab was hidden or the scene is heavy, is
 * dropped. */
const MAX_STEPS = 3;
/** And no more than this many milliseconds, so that commands are heard. */
const TURN_MS = 50;
const KEPT_BUFFERS = 8;
const MAX_SINGLE_STEPS = 10000;

export interface Surroundings {
    post(report: Report, transfer: ArrayBuffer[]): void;
    /** Milliseconds. */
    now(): number;
    /** Call back after some milliseconds. */
    later(call: () => void, milliseconds: number): void;
}

type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>;

export class Session {
    private engine: Engine | undefined;
    private dead = false;
    private loaded = false;
    private source: SceneSource | undefined;
    private seed: number | undefined;
    private step = 1 / 60;
    private playing = false;
    private speed = 1;
    private turning = false;
    private last = 0;
    private due = 0;
    private overlays: Overlays | undefined;
    private held = -1;
    private buffers: ArrayBuffer[] = [];
    private queue: Promise<void> = Promise.resolve();

    constructor(
        private readonly around: Surroundings,
        private readonly options: EngineOptions = {},
    ) {}

    /** Commands are done one after the other, in order. */
    take(command: Command): Promise<void> {
        this.queue = this.queue.then(() => this.guard(command));
        return this.queue;
    }

    private post(report: Report): void {
        this.around.post(report, transfersOf(report));
    }

    /** Refusals are told; what the engine cannot live on after ends the worker. */
    private async guard(command: Command): Promise<void> {
        if (this.dead) {
            return;
        }
        try {
            await this.obey(command);
        } catch (error) {
            this.fail(error, 'id' in command ? command.id : 0);
        }
    }

    private fail(error: unknown, id: number, paused = false): void {
        if (!endsEngine(error)) {
            const message = error instanceof Error ? error.message : String(error);
            this.post({ kind: 'failed', id, message, ...(paused && { paused }) });
            return;
        }
        this.dead = true;
        this.playing = false;
        this.post({ kind: 'fatal', message: explain(error) });
    }

    private get running(): Engine {
        if (this.engine === undefined) {
            throw new EngineError('the engine has not been started');
        }
        return this.engine;
    }

    private async obey(command: Command): Promise<void> {
        switch (command.kind) {
            case 'start':
                return this.start(command);
            case 'load':
                return this.load(command.scene, command.seed, command.id);
            case 'reset':
                return this.reset(command.seed);
            case 'play':
                return this.play(command.playing, command.speed);
            case 'step':
                return this.stepOnce(command.count);
            case 'throw':
                this.running.throwBall(command.origin, command.velocity, command.radius, command.material);
                return this.showIfPaused();
            case 'grab':
                return this.grab(command);
            case 'drag':
                return this.running.drag(command.target);
            case 'release':
                return this.release();
            case 'break':
                this.running.breakAt(command.origin, command.direction);
                return this.playing ? undefined : this.stepOnce(1); // fragments are there after a step
            case 'overlays':
                this.overlays = command;
                return this.showIfPaused();
            case 'import':
                return this.import(command);
            case 'export':
                return this.export(command.what, command.id);
            case 'recycle':
                return this.recycle(command.buffer);
            default:
                throw new EngineError(`there is no command '${String((command as { kind: unknown }).kind)}'`);
        }
    }

    // ---- scenes ----

    private async start({ module, wasmBytes }: CommandOf<'start'>): Promise<void> {
        this.engine = await Engine.create(module, this.options);
        const { version, presets } = this.engine;
        this.post({ kind: 'ready', version, wasmBytes, stages: STAGES, presets });
    }

    private load(scene: SceneSource, seed: number | undefined, id: number): void {
        const engine = this.running;
        const files = scene.files ?? [];
        for (const file of files) {
            engine.files.put(plainName(file.name), new Uint8Array(file.bytes));
        }
        try {
            engine.load(withSeed(scene.text, seed), plainName(scene.name));
        } catch (error) {
            throw error instanceof EngineError && error.memory && this.loaded
                ? new EngineError(`${scene.name}: there is not enough memory for this scene`)
                : error;
        } finally {
            files.forEach((file) => engine.files.remove(plainName(file.name)));
        }
        this.loaded = true;
        this.source = scene;
        this.seed = seed;
        this.held = -1;
        const facts = engine.describe();
        this.step = facts.step;
        this.last = this.around.now();
        this.due = 0;
        this.post({ kind: 'loaded', id, name: scene.name, ...facts });
        this.show();
    }

    private reset(seed: number | undefined): void {
        if (this.source === undefined) {
            throw new EngineError('there is no scene to begin again');
        }
        this.load(this.source, seed ?? this.seed, 0);
    }

    // ---- time ----

    private play(playing: boolean, speed: number): void {
        if (!(speed >= 0 && speed <= 100)) {
            throw new EngineError('the speed must be 0 to 100');
        }
        if (playing && !this.playing) {
            this.last = this.around.now();
            this.due = 0;
        }
        this.playing = playing;
        this.speed = speed;
        this.turnLater(0);
    }

    private stepOnce(count: number): void {
        for (let i = 0; i < Math.min(count, MAX_SINGLE_STEPS); ++i) {
            this.running.step();
        }
        this.show();
    }

    private turnLater(milliseconds: number): void {
        if (!this.turning && this.playing && this.loaded && !this.dead) {
            this.turning = true;
            this.around.later(() => {
                this.turning = false;
                this.queue = this.queue.then(() => this.turn());
            }, milliseconds);
        }
    }

    /** As many steps as the clock asks for, then a frame. */
    private turn(): void {
        if (!this.playing || this.dead) {
            return;
        }
        try {
            if (this.advance() > 0) {
                this.show();
            }
        } catch (error) {
            this.playing = false;
            this.fail(error, 0, true);
        }
        const wait = this.speed > 0 ? ((this.step - this.due) / this.speed) * 1000 : TURN_MS;
        this.turnLater(Math.min(Math.max(wait, 0), TURN_MS));
    }

    private advance(): number {
        const begin = this.around.now();
        this.due += ((begin - this.last) / 1000) * this.speed;
        this.last = begin;
        this.due = Math.min(this.due, MAX_STEPS * this.step);
        let steps = 0;
        // A millionth of a step early is on time: sums of milliseconds are not exact.
        while (this.due >= this.step * (1 - 1e-6) && this.around.now() - begin < TURN_MS) {
            this.running.step();
            this.due -= this.step;
            ++steps;
        }
        return steps;
    }

    // ---- what is seen ----

    private showIfPaused(): void {
        if (!this.playing && this.loaded) {
            this.show();
        }
    }

    private show(): void {
        const engine = this.running;
        const look = engine.look();
        for (const mesh of look.newMeshes) {
            this.post({ kind: 'mesh', mesh, ...engine.mesh(mesh) });
        }
        if (look.added.length > 0 || look.removed.length > 0) {
            this.post({ kind: 'bodies', added: look.added, removed: look.removed });
        }
        const buffer = this.buffer(look.slots * FRAME_STRIDE * 4);
        engine.copyPoses(buffer);
        const overlay = this.overlays && engine.overlay(this.overlays);
        const { step, time, slots, stats, hash } = look;
        this.post({ kind: 'frame', step, time, slots, buffer, stats, hash, ...(overlay && { overlay }) });
        this.tellHold(look.grabbed);
    }

    /** What is held may break, and its piece is held then, or vanish. */
    private tellHold(slot: number): void {
        if (slot !== this.held) {
            this.held = slot;
            this.post({ kind: 'grabbed', slot, point: [0, 0, 0] });
        }
    }

    private buffer(bytes: number): ArrayBuffer {
        const place = this.buffers.findIndex((buffer) => buffer.byteLength >= bytes);
        if (place >= 0) {
            return this.buffers.splice(place, 1)[0]!;
        }
        this.buffers = [];
        let size = 4096;
        while (size < bytes) {
            size *= 2;
        }
        return new ArrayBuffer(size);
    }

    private recycle(buffer: ArrayBuffer): void {
        if (buffer instanceof ArrayBuffer && this.buffers.length < KEPT_BUFFERS) {
            this.buffers.push(buffer);
        }
    }

    // ---- the hand ----

    private grab({ origin, direction }: CommandOf<'grab'>): void {
        const point = this.running.grab(origin, direction);
        this.held = this.running.grabbed;
        this.post({ kind: 'grabbed', slot: this.held, point });
    }

    private release(): void {
        this.running.release();
        this.held = -1;
    }

    // ---- files ----

    private import({ id, name, bytes }: CommandOf<'import'>): void {
        const tell = (text: string): void => this.post({ kind: 'progress', text });
        const mesh = this.running.importMesh(new Uint8Array(bytes), plainName(name), tell);
        const { verdict, solid, triangles, size } = mesh;
        const file: SceneFile = { name: `${stem(plainName(name))}.ply`, bytes: exactly(mesh.bytes) };
        this.post({ kind: 'imported', id, name, verdict, solid, triangles, size, file });
    }

    private async export(what: ExportKind, id: number): Promise<void> {
        const base = stem(plainName(this.source?.name ?? 'scene'));
        if (what === 'glb') {
            this.exportRun(base, id);
        } else if (what === 'pieces') {
            const bytes = await zip(this.running.exportPieces());
            this.post({ kind: 'exported', id, name: `${base}_pieces.zip`, mime: 'application/zip', bytes });
        } else if (what === 'scene') {
            await this.exportScene(base, id);
        } else {
            throw new EngineError(`'${String(what)}' cannot be exported`);
        }
    }

    private exportRun(base: string, id: number): void {
        const engine = this.running;
        const bytes = exactly(engine.exportRun());
        const cut = engine.keptSeconds < engine.time - this.step / 2;
        const seconds = engine.keptSeconds.toFixed(1);
        const note = `The animation has the first ${seconds} s: more would fill the memory.`;
        const file = { name: `${base}.glb`, mime: 'model/gltf-binary', bytes };
        this.post({ kind: 'exported', id, ...file, ...(cut && { note }) });
    }

    /** The scene with what the user did; with its mesh files, where it has some, in a zip. */
    private async exportScene(base: string, id: number): Promise<void> {
        if (this.source === undefined) {
            throw new EngineError('there is no scene to export');
        }
        const text = withActions(withSeed(this.source.text, this.seed), this.running);
        const scene = new TextEncoder().encode(text);
        const files = this.source.files ?? [];
        if (files.length === 0) {
            const file = { name: `${base}.json`, mime: 'application/json', bytes: exactly(scene) };
            this.post({ kind: 'exported', id, ...file });
            return;
        }
        const entries = files.map(({ name, bytes }) => ({
            name: plainName(name),
            bytes: new Uint8Array(bytes),
        }));
        const bytes = await zip([{ name: `${base}.json`, bytes: scene }, ...entries]);
        this.post({ kind: 'exported', id, name: `${base}.zip`, mime: 'application/zip', bytes });
    }
}

// ---- texts ----

/** The scene with another seed. What is no JSON is left for the engine to refuse, with line and column. */
function withSeed(text: string, seed: number | undefined): string {
    if (seed === undefined) {
        return text;
    }
    try {
        const scene: unknown = JSON.parse(text);
        return isObject(scene) ? JSON.stringify({ ...scene, seed }, undefined, 2) : text;
    } catch {
        return text;
    }
}

/** What the user did comes before the events of the scene: it did so where both happen before the same
 * step. */
function withActions(text: string, engine: Engine): string {
    const scene = JSON.parse(text) as Record<string, unknown>;
    const { shapes, events } = engine.actions();
    const own = Array.isArray(scene.events) ? scene.events : [];
    const duration = Math.max(Number(scene.duration ?? 5), engine.time);
    const all = { ...(scene.shapes as object), ...shapes };
    const touched = { ...scene, duration, shapes: all, events: [...events, ...own] };
    return `${JSON.stringify(touched, undefined, 2)}\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Files have no folders here. */
function plainName(name: string): string {
    return name.replace(/^.*[\\/]/, '') || 'scene.json';
}

function stem(name: string): string {
    return name.replace(/\.[^.]*$/, '');
}

/** The bytes in a buffer of just their size, to be transferred. */
function exactly(bytes: Uint8Array): ArrayBuffer {
    const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
    return (whole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer;
}

/** Out of memory, traps and what cannot be started; anything else is a command that made no sense. */
function endsEngine(error: unknown): boolean {
    return (
        (error instanceof EngineError && error.memory) ||
        error instanceof WebAssembly.RuntimeError ||
        error instanceof WebAssembly.CompileError ||
        error instanceof WebAssembly.LinkError ||
        error instanceof RangeError ||
        error instanceof ExitError
    );
}

/** In words that a person can act on. */
function explain(error: unknown): string {
    if (error instanceof EngineError && error.memory) {
        return (
            'The engine ran out of memory. ' +
            'Start again with a smaller scene, fewer pieces or a simpler mesh.'
        );
    }
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof RangeError || /memory/i.test(message)) {
        return (
            `The engine ran out of memory (${message}). ` +
            'Start again with a smaller scene or close other tabs.'
        );
    }
    return `The engine stopped: ${message}. Start again; if it happens twice, please report the scene.`;
}
