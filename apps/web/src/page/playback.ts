// Bodies on the screen. Frames come from the worker at the pace of its steps; the picture is drawn at the
// pace of the display, between two of them. What a frame brought (pieces) or took (the body that broke)
// appears when the picture reaches it.
import { Matrix4, Quaternion, Scene, Vector3 } from 'three';
import type { Color } from 'three';
import { BODY_THERE, FRAME_STRIDE } from '../engine/protocol.ts';
import type { BodyInfo, MaterialInfo, Report, Vec3 } from '../engine/protocol.ts';
import { Batch, partOf } from './batches.ts';
import type { MeshData } from './batches.ts';
import { crackTint, materialNames, tintOf } from './looks.ts';
import type { Part } from './looks.ts';

type FrameReport = Extract<Report, { kind: 'frame' }>;
type MeshReport = Extract<Report, { kind: 'mesh' }>;

interface Change {
    added: BodyInfo[];
    removed: number[];
}

interface Frame {
    time: number;
    slots: number;
    poses: Float32Array;
    changes: Change[];
}

/** What pieces have from the body that they were: its colour, and which axis its grain runs along. */
interface Kin {
    tint: Color;
    grain: number;
    /** Serial of the whole body. */
    root: number;
}

export interface Drawn {
    info: BodyInfo;
    preset: string;
    kin: Kin;
    parts: { batch: Batch; key: number; instance: number }[];
    /** As drawn now, without the offset of the exploded view. */
    position: Vector3;
    rotation: Quaternion;
    center: Vector3;
    dirty: boolean;
}

export interface Plane {
    slot: number;
    normal: Vector3;
    point: Vector3;
}

const scratch = new Vector3();
const unit = new Vector3(1, 1, 1);
const pose = new Matrix4();
const otherRotation = new Quaternion();

export class Playback {
    readonly drawn = new Map<number, Drawn>();
    readonly planes = new Map<number, Plane>();
    readonly meshes = new Map<number, MeshData>();
    /** Called with buffers that are no longer needed. */
    onRecycle: (buffer: ArrayBuffer) => void = () => {};
    explode = 0;

    private readonly batches = new Map<string, Batch>();
    private readonly kin = new Map<number, Kin>();
    private readonly counts = new Map<string, number>();
    private readonly presets = new Map<string, string>();
    private readonly colors = new Map<string, Vec3 | undefined>();
    private pending: Change[] = [];
    private frames: Frame[] = [];
    private playhead = 0;
    private step = 1 / 30;
    private explodeShown = 0;
    private fresh = true;
    private glazes: string[] | undefined;

    /** Without a scene (no WebGL) bodies are followed and not drawn. */
    constructor(private readonly scene: Scene | undefined) {}

    /** `glazes`: colours of ceramic, instead of the usual ones. */
    clear(
        step: number,
        materials: MaterialInfo[],
        colored: Map<string, Vec3>,
        glazes: string[] | undefined,
    ): void {
        this.glazes = glazes;
        for (const batch of this.batches.values()) {
            batch.dispose();
        }
        for (const frame of this.frames) {
            this.onRecycle(frame.poses.buffer as ArrayBuffer);
        }
        for (const map of [
            this.batches,
            this.kin,
            this.counts,
            this.presets,
            this.colors,
            this.drawn,
            this.planes,
            this.meshes,
        ]) {
            map.clear();
        }
        for (const material of materials) {
            this.presets.set(material.name, material.preset);
            this.colors.set(material.name, colored.get(material.name));
        }
        this.pending = [];
        this.frames = [];
        this.step = step;
        this.fresh = true;
    }

    takeMesh(report: MeshReport): void {
        this.meshes.set(report.mesh, report);
    }

    takeBodies(added: BodyInfo[], removed: number[]): void {
        this.pending.push({ added, removed });
    }

    takeFrame(report: FrameReport): void {
        const frame = {
            time: report.time,
            slots: report.slots,
            poses: new Float32Array(report.buffer),
            changes: this.pending,
        };
        this.pending = [];
        this.frames.push(frame);
        if (this.frames.length === 1) {
            this.playhead = frame.time;
            this.applyChanges(frame);
            this.fresh = true;
        }
    }

    /** Changes when there is a kind of surface to draw that was not there before. */
    get batchCount(): number {
        return this.batches.size;
    }

    /** Go on by so many seconds of the scene's time; `snap` goes to the newest frame. Returns whether
     * anything moved that is in sight: balls roll away for ever. */
    update(seconds: number, snap: boolean, inSight: (center: Vector3, radius: number) => boolean): boolean {
        if (this.frames.length === 0) {
            return false;
        }
        this.advance(seconds, snap);
        const moved = this.placeAll(inSight) || this.fresh;
        this.fresh = false;
        return moved;
    }

    private advance(seconds: number, snap: boolean): void {
        const newest = this.frames[this.frames.length - 1]!;
        this.playhead += seconds;
        // A frame that comes late must not make the picture stutter for long: stay between one and two steps
        // behind.
        this.playhead = Math.min(Math.max(this.playhead, newest.time - 2 * this.step), newest.time);
        if (snap) {
            this.playhead = newest.time;
        }
        while (this.frames.length > 1 && this.frames[1]!.time <= this.playhead + 1e-9) {
            const done = this.frames.shift()!;
            this.onRecycle(done.poses.buffer as ArrayBuffer);
            this.applyChanges(this.frames[0]!);
        }
    }

    private applyChanges(frame: Frame): void {
        this.fresh ||= frame.changes.length > 0;
        for (const change of frame.changes) {
            for (const slot of change.removed) {
                this.removeBody(slot);
            }
            for (const info of change.added) {
                this.addBody(info, frame);
            }
        }
        frame.changes = [];
    }

    private addBody(info: BodyInfo, frame: Frame): void {
        const at = info.slot * FRAME_STRIDE;
        if (info.plane !== undefined) {
            const point = new Vector3().fromArray(frame.poses, at);
            this.planes.set(info.slot, { slot: info.slot, normal: new Vector3(...info.plane), point });
            return;
        }
        const mesh = this.meshes.get(info.mesh);
        if (mesh === undefined) {
            return;
        }
        const preset = this.presetOf(info.material);
        const body: Drawn = {
            info,
            preset,
            kin: this.kinOf(info, preset, mesh),
            parts: [],
            position: new Vector3(),
            rotation: new Quaternion(),
            center: new Vector3(),
            dirty: true,
        };
        this.drawPart(body, mesh, 'skin');
        this.drawPart(body, mesh, 'crack');
        this.drawn.set(info.slot, body);
    }

    private removeBody(slot: number): void {
        this.planes.delete(slot);
        for (const part of this.drawn.get(slot)?.parts ?? []) {
            part.batch.remove(part.key, part.instance);
        }
        this.drawn.delete(slot);
    }

    private presetOf(material: string): string {
        const preset = this.presets.get(material) ?? '';
        if (preset !== '') {
            return preset;
        }
        return materialNames.includes(material) ? material : 'stone';
    }

    private kinOf(info: BodyInfo, preset: string, mesh: MeshData): Kin {
        let kin = this.kin.get(info.parent);
        if (kin === undefined) {
            const count = this.counts.get(preset) ?? 0;
            this.counts.set(preset, count + 1);
            kin = {
                tint: tintOf(preset, count, this.colors.get(info.material), this.glazes),
                grain: longestAxis(mesh),
                root: info.serial,
            };
        }
        this.kin.set(info.serial, kin);
        return kin;
    }

    private drawPart(body: Drawn, mesh: MeshData, part: Part): void {
        if (this.scene === undefined) {
            return;
        }
        const name = `${body.preset} ${part}`;
        let batch = this.batches.get(name);
        const key = body.info.mesh;
        if (batch === undefined || !batch.has(key)) {
            const { center, outward } = body.info;
            const shift = [0, 1, 2].map((k) => outward[k]! - center[k]!);
            const grain = body.kin.grain;
            const geometry = partOf(mesh, part, (x, y, z, out, at) => {
                const local = [x + shift[0]!, y + shift[1]!, z + shift[2]!];
                for (let k = 0; k < 3; ++k) {
                    out[at + k] = local[(grain + k) % 3]!;
                }
            });
            if (geometry === undefined) {
                return;
            }
            batch ??= new Batch(this.scene, body.preset, part);
            this.batches.set(name, batch);
            batch.hold(key, geometry);
        }
        const color = part === 'skin' ? body.kin.tint : crackTint(body.preset, body.kin.tint);
        body.parts.push({ batch, key, instance: batch.add(key, color) });
    }

    private placeAll(inSight: (center: Vector3, radius: number) => boolean): boolean {
        const left = this.frames[0]!;
        const right = this.frames[1];
        const along =
            right === undefined
                ? 0
                : Math.min(1, Math.max(0, (this.playhead - left.time) / (right.time - left.time)));
        const leaving = right === undefined ? undefined : this.shiftsOf(right);
        const exploding = this.explode !== this.explodeShown;
        this.explodeShown = this.explode;
        let moved = exploding;
        for (const [slot, body] of this.drawn) {
            if (this.interpolate(slot, body, left, right, along, leaving) || exploding) {
                body.dirty = true;
                moved ||= inSight(body.center, body.info.radius);
            }
        }
        if (this.explode > 0) {
            this.placeExploded();
        } else {
            this.placeDirty();
        }
        return moved;
    }

    /** Where bodies go that the next frame has no more: on average where their pieces are then. */
    private shiftsOf(right: Frame): Map<number, Vector3 | undefined> {
        const shifts = new Map<number, Vector3 | undefined>();
        for (const change of right.changes) {
            for (const slot of change.removed) {
                const body = this.drawn.get(slot);
                if (body !== undefined) {
                    shifts.set(slot, meanOfPieces(change.added, body, right)?.sub(body.center));
                }
            }
        }
        return shifts;
    }

    private interpolate(
        slot: number,
        body: Drawn,
        left: Frame,
        right: Frame | undefined,
        along: number,
        leaving: Map<number, Vector3 | undefined> | undefined,
    ): boolean {
        const at = slot * FRAME_STRIDE;
        const p = left.poses;
        const shift = leaving?.get(slot);
        const stays =
            right !== undefined &&
            slot < right.slots &&
            !leaving!.has(slot) &&
            (right.poses[at + 7]! & BODY_THERE) !== 0;
        scratch.set(p[at]!, p[at + 1]!, p[at + 2]!);
        otherRotation.set(p[at + 3]!, p[at + 4]!, p[at + 5]!, p[at + 6]!);
        if (stays) {
            const q = right.poses;
            scratch.set(
                mix(p[at]!, q[at]!, along),
                mix(p[at + 1]!, q[at + 1]!, along),
                mix(p[at + 2]!, q[at + 2]!, along),
            );
            blend(otherRotation, q, at + 3, along);
        } else if (shift !== undefined) {
            scratch.addScaledVector(shift, along);
        }
        if (!body.dirty && body.position.equals(scratch) && body.rotation.equals(otherRotation)) {
            return false;
        }
        body.position.copy(scratch);
        body.rotation.copy(otherRotation);
        body.center.fromArray(body.info.center).applyQuaternion(body.rotation).add(body.position);
        body.dirty = true;
        return true;
    }

    private placeDirty(): void {
        for (const body of this.drawn.values()) {
            if (body.dirty) {
                this.place(body, body.position);
            }
        }
    }

    /** Pieces move apart the way they came from the middle of the body that they were, turned as they are. */
    private placeExploded(): void {
        for (const body of this.drawn.values()) {
            scratch
                .fromArray(body.info.outward)
                .applyQuaternion(body.rotation)
                .multiplyScalar(this.explode)
                .add(body.position);
            this.place(body, scratch);
        }
    }

    private place(body: Drawn, position: Vector3): void {
        pose.compose(position, body.rotation, unit);
        for (const part of body.parts) {
            part.batch.place(part.instance, pose);
        }
        body.dirty = false;
    }
}

function mix(a: number, b: number, t: number): number {
    return a + (b - a) * t;
}

/** Normalized linear blend towards the quaternion at a place of an array, along the shorter way. */
function blend(from: Quaternion, to: Float32Array, at: number, t: number): void {
    const dot = from.x * to[at]! + from.y * to[at + 1]! + from.z * to[at + 2]! + from.w * to[at + 3]!;
    const sign = dot < 0 ? -1 : 1;
    from.set(
        mix(from.x, sign * to[at]!, t),
        mix(from.y, sign * to[at + 1]!, t),
        mix(from.z, sign * to[at + 2]!, t),
        mix(from.w, sign * to[at + 3]!, t),
    ).normalize();
}

function meanOfPieces(added: BodyInfo[], parent: Drawn, frame: Frame): Vector3 | undefined {
    const sum = new Vector3();
    const rotation = new Quaternion();
    let weight = 0;
    for (const info of added) {
        if (info.parent === parent.info.serial) {
            const volume = info.radius ** 3;
            const at = info.slot * FRAME_STRIDE;
            rotation.fromArray(frame.poses, at + 3);
            scratch.fromArray(info.center).applyQuaternion(rotation);
            sum.x += volume * (frame.poses[at]! + scratch.x);
            sum.y += volume * (frame.poses[at + 1]! + scratch.y);
            sum.z += volume * (frame.poses[at + 2]! + scratch.z);
            weight += volume;
        }
    }
    return weight > 0 ? sum.divideScalar(weight) : undefined;
}

function longestAxis(mesh: MeshData): number {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < mesh.positions.length; ++i) {
        low[i % 3] = Math.min(low[i % 3]!, mesh.positions[i]!);
        high[i % 3] = Math.max(high[i % 3]!, mesh.positions[i]!);
    }
    const extent = [0, 1, 2].map((k) => high[k]! - low[k]!);
    return extent.indexOf(Math.max(...extent));
}
