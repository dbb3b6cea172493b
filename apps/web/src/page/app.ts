// The playground: what the person wants, what the engine answers, what is drawn.
import { Vector3 } from 'three';
import { EngineClient } from '../engine/client.ts';
import type { ExportKind, Report, SceneSource, Stats } from '../engine/protocol.ts';
import type { Ball } from './aim.ts';
import { catalogue, entryOf } from './catalogue.ts';
import type { Entry } from './catalogue.ts';
import { Chart } from './chart.ts';
import { applyEdits, colorsOf } from './edits.ts';
import type { SceneText } from './edits.ts';
import { download, openFile } from './files.ts';
import { Figures } from './figures.ts';
import { Hands } from './hands.ts';
import type { Tool } from './hands.ts';
import { readLink, writeLink } from './link.ts';
import type { Shared } from './link.ts';
import { materialNames } from './looks.ts';
import { say, unsay } from './messages.ts';
import { OverlayView } from './overlay.ts';
import { Playback } from './playback.ts';
import { Ropes } from './ropes.ts';
import * as settings from './settings.ts';
import { Stage } from './stage.ts';

const { element } = settings;

/** Milliseconds without a change until a picture of full sharpness is drawn. */
const stillAfter = 250;

export class App {
    readonly client = new EngineClient(new URL('rubble.wasm', document.baseURI));
    readonly playback: Playback;
    readonly stage: Stage | undefined;
    readonly hands: Hands | undefined;
    readonly figures = new Figures(new Chart(element('chart')));
    tool: Tool = 'throw';
    playing = true;
    speed = 1;
    /** For the tests and the curious. */
    stats: Stats | undefined;
    version = '';
    steps = 0;
    pictures = 0;
    loads = 0;

    private readonly overlay: OverlayView | undefined;
    private readonly ropes: Ropes | undefined;
    private readonly texts = new Map<string, string>();
    /** Pa, of the engine's presets. */
    private strengths = new Map<string, number>();
    private entry: Entry | undefined = catalogue[0]!;
    /** A dropped file, instead of an entry. */
    private own: SceneSource | undefined;
    private loading = false;
    /** The engine stopped, or never came. */
    private dead = false;
    private again = false;
    private awaited: SceneText | undefined;
    private gravity = new Vector3(0, -9.81, 0);
    private touchedPicture = true;
    private newShadows = true;
    private lastPicture = 0;
    private changed = 0;
    private turns = 0;
    private sharp = false;
    /** Whether there was a picture of this scene. */
    private shown = false;
    private planesShown = -1;
    private keepCamera = false;

    constructor() {
        this.stage = this.makeStage();
        this.playback = new Playback(this.stage?.scene);
        this.playback.onRecycle = (buffer) => this.client.send({ kind: 'recycle', buffer }, [buffer]);
        if (this.stage !== undefined) {
            this.overlay = new OverlayView(this.stage.scene);
            this.ropes = new Ropes(this.stage.scene);
            this.hands = new Hands(this.stage, this.playback, this.makeHandsWorld(), element('reticle'));
        }
        this.client.onReport = (report) => this.take(report);
    }

    /** Compile and start the engine, then the scene of the link; also after the engine died. */
    async start(): Promise<void> {
        this.veil('Starting the engine');
        this.dead = false;
        try {
            await this.client.start();
        } catch (error) {
            this.dead = true;
            this.veil(undefined);
            say(
                `The engine could not be started: ${messageOf(error)}. Check the connection, then try again.`,
                { bad: true, key: 'engine', action: { text: 'Try again', run: () => void this.start() } },
            );
        }
    }

    openLink(): void {
        const shared = readLink(
            location.hash,
            catalogue.map((entry) => entry.file),
            materialNames,
        );
        this.entry = entryOf(shared.scene)!;
        this.own = undefined;
        settings.writeEdits(shared.edits, this.entry);
        settings.writeBall({ ...this.entry.ball, ...dropUndefined(shared.ball) });
        settings.writeSeed(shared.seed ?? 1);
    }

    async choose(entry: Entry): Promise<void> {
        this.entry = entry;
        this.own = undefined;
        settings.writeBall(entry.ball);
        settings.writeEdits({}, entry);
        element('verdict').hidden = true;
        this.keepCamera = false;
        await this.load();
    }

    chooseNext(by: number): void {
        const at = this.entry === undefined ? 0 : catalogue.indexOf(this.entry);
        void this.choose(catalogue[(at + by + catalogue.length) % catalogue.length]!);
    }

    get sceneFile(): string {
        return this.own?.name ?? this.entry?.file ?? '';
    }

    /** Load what is chosen, with the changes of the panel. While one load runs, later ones become one. A
     * scene that is refused leaves the one before as it was; returns whether it was. */
    async load(): Promise<boolean> {
        if (this.dead) {
            await this.start(); // and what is chosen is loaded when the engine is ready
            return false;
        }
        if (this.loading) {
            this.again = true;
            return false;
        }
        this.loading = true;
        this.veil('Building the scene');
        let refused = false;
        try {
            await this.loadOnce();
        } catch (error) {
            refused = true;
            this.complain(messageOf(error), 'load');
        }
        this.veil(undefined);
        this.loading = false;
        if (this.again) {
            this.again = false;
            return this.load();
        }
        return refused;
    }

    private async loadOnce(): Promise<void> {
        const source = this.own ?? (await this.fetchScene(this.entry!.file));
        const text = applyEdits(
            source.text,
            settings.readEdits(this.own === undefined ? this.entry : undefined),
            this.strengths,
        );
        this.awaited = parseScene(source.name, text);
        await this.client.request({ kind: 'load', scene: { ...source, text }, seed: this.seedToSend() });
        unsay('load');
        this.writeAddress();
    }

    /** The scene's own seed unless the person asked for another. */
    private seedToSend(): number | undefined {
        const seed = settings.readSeed();
        return seed === Number(this.awaited?.['seed'] ?? 1) ? undefined : seed;
    }

    private async fetchScene(file: string): Promise<SceneSource> {
        let text = this.texts.get(file);
        if (text === undefined) {
            const response = await fetch(new URL(`scenes/${file}.json`, document.baseURI));
            if (!response.ok) {
                throw new Error(
                    `The scene could not be fetched (${response.status}). ` +
                        'Check the connection and choose it again.',
                );
            }
            text = await response.text();
            this.texts.set(file, text);
        }
        return { name: `${file}.json`, text };
    }

    async open(file: File): Promise<void> {
        this.veil(`Reading ${file.name}`);
        try {
            const opened = await openFile(this.client, file);
            parseScene(file.name, opened.scene.text);
            const before = {
                own: this.own,
                edits: settings.readEdits(this.entry),
                ball: settings.readBall(),
            };
            this.own = opened.scene;
            settings.writeEdits({}, undefined);
            settings.writeBall({ speed: 9, radius: 0.04, material: 'steel' });
            const verdict = element('verdict');
            verdict.hidden = opened.verdict === '';
            verdict.textContent = opened.verdict;
            if (opened.verdict !== '') {
                say(opened.verdict, { key: 'verdict' });
            }
            this.keepCamera = false;
            if (await this.load()) {
                this.own = before.own;
                settings.writeEdits(before.edits, this.entry);
                settings.writeBall(before.ball);
            }
        } catch (error) {
            this.veil(undefined);
            this.complain(messageOf(error), 'file');
        }
    }

    async get(what: ExportKind): Promise<void> {
        try {
            say(`Saved ${await download(this.client, what)}.`);
        } catch (error) {
            this.complain(`Nothing was saved: ${messageOf(error)}`, 'save');
        }
    }

    /** What failed because the engine stopped was told with that. */
    private complain(text: string, key: string): void {
        if (!this.dead) {
            say(text, { bad: true, key });
        }
    }

    /** A link to what is chosen; undefined for a file of the visitor's own. */
    share(): string | undefined {
        this.writeAddress();
        return this.own === undefined ? location.href : undefined;
    }

    private writeAddress(): void {
        if (this.own !== undefined || this.entry === undefined) {
            return;
        }
        const edits = settings.readEdits(this.entry);
        const ball = settings.readBall();
        const seed = settings.readSeed();
        const planned = edits.withoutEvents === true;
        const shared: Shared = {
            scene: this.entry.file,
            seed: seed === 1 ? undefined : seed,
            edits: { ...edits, withoutEvents: planned === !this.entry.events ? undefined : planned },
            ball: different(ball, this.entry.ball),
        };
        history.replaceState(null, '', writeLink(shared));
    }

    // ---- time ----

    setPlaying(playing: boolean): void {
        this.playing = playing;
        element('play').setAttribute('aria-pressed', String(playing));
        element('play-text').textContent = playing ? 'Pause' : 'Go on';
        this.sendPlay();
    }

    setSpeed(speed: number): void {
        this.speed = speed;
        this.sendPlay();
    }

    /** A hidden tab rests: what it misses is not caught up with. And nothing happens before it can be
     * seen. */
    sendPlay(): void {
        this.client.send({
            kind: 'play',
            playing: this.playing && this.shown && !document.hidden,
            speed: this.speed,
        });
    }

    step(): void {
        this.setPlaying(false);
        this.client.send({ kind: 'step', count: 1 });
    }

    reset(): void {
        this.keepCamera = true;
        void this.load();
    }

    sendOverlays(): void {
        this.client.send({ kind: 'overlays', ...settings.readOverlays() });
    }

    // ---- the engine's reports ----

    private take(report: Report): void {
        switch (report.kind) {
            case 'ready':
                this.version = report.version;
                this.strengths = new Map(report.presets.map(({ name, strength }) => [name, strength]));
                this.figures.ready(report.stages);
                element('about-engine').textContent =
                    `Rubble ${report.version}, engine of ${Math.round(report.wasmBytes / 1024)} KB.`;
                unsay('engine');
                this.sendOverlays();
                this.sendPlay();
                void this.load();
                break;
            case 'loaded':
                this.takeLoaded(report);
                break;
            case 'mesh':
                this.playback.takeMesh(report);
                break;
            case 'bodies':
                this.playback.takeBodies(report.added, report.removed);
                break;
            case 'frame':
                this.takeFrame(report);
                break;
            case 'grabbed':
                this.hands?.grabbed(report.slot, report.point);
                break;
            case 'failed':
                say(report.message, { bad: true });
                if (report.paused === true) {
                    this.setPlaying(false);
                }
                break;
            case 'progress':
                this.veil(report.text);
                break;
            case 'fatal':
                this.takeFatal(report.message);
                break;
        }
    }

    private takeLoaded(report: Extract<Report, { kind: 'loaded' }>): void {
        const scene = this.awaited;
        this.gravity.fromArray(scene?.gravity ?? [0, -9.81, 0]);
        this.playback.clear(
            report.step,
            report.materials,
            scene === undefined ? new Map() : colorsOf(scene),
            this.own === undefined ? this.entry?.glazes : undefined,
        );
        this.ropes?.clear(scene?.joints ?? []);
        this.figures.clear();
        this.planesShown = -1;
        this.loads += 1;
        if (!this.keepCamera) {
            this.stage?.setHome(report.camera);
        }
        this.keepCamera = true;
        this.shown = this.stage === undefined;
        element('scene-name').textContent = this.own?.name ?? this.entry?.name ?? report.name;
        element('scene-about').textContent =
            this.own === undefined ? (this.entry?.about ?? '') : report.about;
        document.querySelectorAll<HTMLElement>('#scenes button').forEach((button) => {
            button.setAttribute(
                'aria-current',
                String(this.own === undefined && button.dataset['scene'] === this.entry?.file),
            );
        });
        this.sendPlay();
    }

    private takeFrame(report: Extract<Report, { kind: 'frame' }>): void {
        this.playback.takeFrame(report);
        this.stats = report.stats;
        this.steps = report.step;
        this.figures.take(report);
        if (this.overlay?.show(report.overlay, this.stage!.renderer.getPixelRatio()) === true) {
            this.touch();
        }
    }

    private takeFatal(message: string): void {
        this.veil(undefined);
        this.loading = false;
        this.dead = true;
        say(message, {
            bad: true,
            key: 'engine',
            action: { text: 'Start again', run: () => void this.start() },
        });
    }

    // ---- the picture ----

    touch(): void {
        this.touchedPicture = true;
    }

    /** Once per picture of the display. */
    draw(now: number): void {
        const elapsed = Math.min(0.25, (now - this.lastPicture) / 1000);
        const snap = !this.playing;
        const moved = this.playback.update(
            elapsed * this.speed,
            snap,
            (center, radius) => this.stage?.sees(center, radius) ?? false,
        );
        if (moved) {
            this.hands?.refresh();
            this.newShadows = true;
        }
        if (this.stage !== undefined && this.playback.planes.size !== this.planesShown) {
            this.planesShown = this.playback.planes.size;
            this.stage.setPlanes(this.playback.planes.values());
        }
        if (moved) {
            this.ropes?.update(this.playback);
        }
        const marked = this.hands?.update() ?? false;
        const wanted = moved || marked || this.touchedPicture;
        if (wanted) {
            this.changed = now;
        }
        const still = !this.sharp && now - this.changed > stillAfter;
        // While shaders are made the last picture stays, and what it lacks is drawn after that.
        this.touchedPicture = wanted;
        if ((wanted || still) && this.mayDraw() && this.stage?.prepare(this.playback.batchCount) === true) {
            this.touchedPicture = false;
            this.drawPicture(now, still);
        }
        this.lastPicture = now;
        this.figures.draw();
    }

    /** Without a graphics card every second picture is left out: the engine needs the same processors. */
    private mayDraw(): boolean {
        this.turns += 1;
        return this.stage?.software !== true || this.turns % 2 === 0;
    }

    private drawPicture(now: number, sharp: boolean): void {
        this.stage!.render(this.newShadows || sharp, sharp);
        this.sharp = sharp;
        this.newShadows = false;
        this.pictures += 1;
        if (!this.shown && this.playback.drawn.size > 0) {
            this.shown = true;
            this.sendPlay();
        }
        if (!sharp && now - this.lastPicture < 500 && this.stage!.measure(now - this.lastPicture)) {
            this.newShadows = true;
            this.touch();
        }
    }

    resized(): void {
        this.stage?.resize();
        this.touch();
    }

    private makeStage(): Stage | undefined {
        const canvas = element<HTMLCanvasElement>('view');
        try {
            const stage = new Stage(canvas);
            canvas.addEventListener('webglcontextlost', (event) => {
                event.preventDefault();
                say(
                    'The graphics card stopped drawing. The scene continues; ' +
                        'the picture comes back when the card does.',
                    { bad: true, key: 'card' },
                );
            });
            canvas.addEventListener('webglcontextrestored', () => {
                unsay('card');
                this.newShadows = true;
                this.touch();
            });
            return stage;
        } catch {
            canvas.hidden = true;
            const box = element('no-picture');
            box.hidden = false;
            box.innerHTML =
                '<div><h2>No picture: this browser offers no WebGL</h2>' +
                '<p>Turn on hardware acceleration in its settings, or open the page in another browser. ' +
                'The engine still runs: figures, scenes and downloads work.</p></div>';
            return undefined;
        }
    }

    private makeHandsWorld(): ConstructorParameters<typeof Hands>[2] {
        const send = this.client.send.bind(this.client);
        const goOn = (): void => {
            if (!this.playing) {
                this.setPlaying(true);
            }
        };
        return {
            tool: () => this.tool,
            ball: () => settings.readBall(),
            gravity: () => this.gravity,
            throwBall: (origin, velocity) => {
                const ball: Ball = settings.readBall();
                send({ kind: 'throw', origin, velocity, radius: ball.radius, material: ball.material });
            },
            grab: (origin, direction) => {
                goOn();
                send({ kind: 'grab', origin, direction });
            },
            drag: (target) => send({ kind: 'drag', target }),
            release: () => send({ kind: 'release' }),
            breakAt: (origin, direction) => send({ kind: 'break', origin, direction }),
            touched: () => this.touch(),
        };
    }

    private veil(text: string | undefined): void {
        element('veil').classList.toggle('gone', text === undefined);
        if (text !== undefined) {
            element('veil-text').textContent = text;
        }
    }
}

function parseScene(name: string, text: string): SceneText {
    try {
        const scene = JSON.parse(text) as SceneText;
        if (typeof scene !== 'object' || scene === null || !Array.isArray(scene.bodies)) {
            throw new Error('it has no list of bodies');
        }
        return scene;
    } catch (error) {
        throw new Error(`${name} is not a scene: ${messageOf(error)}.`);
    }
}

function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

function dropUndefined<T extends object>(value: T): T {
    return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}

function different(ball: Ball, from: Ball): Partial<Ball> {
    return Object.fromEntries(
        Object.entries(ball).filter(([key, value]) => value !== from[key as keyof Ball]),
    );
}
