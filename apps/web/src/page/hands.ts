// Mouse, fingers and keys over the picture: aim, throw, grab, break, look around.
import { Spherical, Vector3 } from 'three';
import type { Vec3 } from '../engine/protocol.ts';
import { AimMark, aimAt } from './aim.ts';
import type { Ball } from './aim.ts';
import { pick } from './pick.ts';
import type { Hit } from './pick.ts';
import type { Playback } from './playback.ts';
import type { Stage } from './stage.ts';

export type Tool = 'throw' | 'grab' | 'break';

export interface HandsWorld {
    tool(): Tool;
    ball(): Ball;
    gravity(): Vector3;
    throwBall(origin: Vec3, velocity: Vec3): void;
    grab(origin: Vec3, direction: Vec3): void;
    drag(target: Vec3): void;
    release(): void;
    breakAt(origin: Vec3, direction: Vec3): void;
    /** The picture has to be drawn again. */
    touched(): void;
}

interface Finger {
    x: number;
    y: number;
    startX: number;
    startY: number;
}

type State = 'idle' | 'press' | 'orbit' | 'pan' | 'hold' | 'pinch';

const clickSlack = 7;
const longPress = 450;

export class Hands {
    readonly mark = new AimMark();
    private readonly fingers = new Map<number, Finger>();
    private state: State = 'idle';
    private timer = 0;
    private spread = 0;
    /** Point that a grabbed body is held at: targets are on the plane through it that faces the camera. */
    private held: Vector3 | undefined;
    private asked = false;
    private reticle: { x: number; y: number } | undefined;
    private hover: { x: number; y: number } | undefined;
    private aimWanted = false;

    constructor(
        private readonly stage: Stage,
        private readonly playback: Playback,
        private readonly world: HandsWorld,
        private readonly cross: HTMLElement,
    ) {
        const view = stage.canvas;
        stage.scene.add(this.mark.group);
        view.addEventListener('pointerdown', (event) => this.down(event));
        view.addEventListener('pointermove', (event) => this.move(event));
        view.addEventListener('pointerup', (event) => this.lift(event));
        view.addEventListener('pointercancel', (event) => this.cancel(event));
        view.addEventListener('pointerleave', () => this.setHover(undefined));
        view.addEventListener('contextmenu', (event) => event.preventDefault());
        view.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        view.addEventListener('keydown', (event) => this.key(event));
        view.addEventListener('blur', () => this.leaveKeyboard());
    }

    /** The engine's answer to grab(); later, that another piece is held now, or none. */
    grabbed(slot: number, point: Vec3): void {
        if (slot < 0) {
            this.drop();
        } else if (this.state === 'hold' && this.asked) {
            this.held = new Vector3(...point);
        }
        this.asked = false;
    }

    /** Before each picture: bodies may have moved under the pointer. */
    update(): boolean {
        if (!this.aimWanted) {
            return false;
        }
        const at = this.reticle ?? (this.state === 'idle' || this.state === 'press' ? this.hover : undefined);
        const was = this.mark.group.visible;
        const hit = at === undefined || this.world.tool() === 'grab' ? undefined : this.hitAt(at.x, at.y);
        this.aimWanted = false;
        if (hit === undefined) {
            this.mark.hide();
            return was;
        }
        const aimed = this.world.tool() === 'throw' ? this.aim(hit) : undefined;
        this.mark.show(hit, aimed, this.world.ball(), this.world.gravity());
        return true;
    }

    /** Aim anew: the scene, the tool or the ball changed. */
    refresh(): void {
        this.aimWanted = true;
    }

    private hitAt(x: number, y: number): Hit | undefined {
        const { origin, direction } = this.stage.ray(x, y);
        return pick(this.playback, origin, direction);
    }

    private aim(hit: Hit): ReturnType<typeof aimAt> {
        const floor =
            [...this.playback.planes.values()].find((plane) => plane.normal.y > 0.99)?.point.y ?? -1e9;
        return aimAt(hit.point, this.stage.camera.position, this.world.ball(), this.world.gravity(), floor);
    }

    private act(x: number, y: number): void {
        const { origin, direction } = this.stage.ray(x, y);
        if (this.world.tool() === 'break') {
            this.world.breakAt(origin.toArray(), direction.toArray());
            return;
        }
        // Into the blue: at what is as far away as the middle of the scene.
        const far = this.stage.camera.position.distanceTo(this.stage.target);
        const hit = this.hitAt(x, y) ?? {
            distance: far,
            point: origin.addScaledVector(direction, far),
            normal: direction.clone().negate(),
            body: undefined,
        };
        const aimed = this.aim(hit);
        this.world.throwBall(aimed.origin.toArray(), aimed.velocity.toArray());
    }

    private tryHold(x: number, y: number): boolean {
        const { origin, direction } = this.stage.ray(x, y);
        const hit = pick(this.playback, origin, direction);
        if (hit?.body?.info.movable !== true) {
            return false;
        }
        this.state = 'hold';
        this.held = hit.point;
        this.asked = true;
        document.body.dataset['holding'] = '';
        this.mark.hide();
        this.world.grab(origin.toArray(), direction.toArray());
        return true;
    }

    private dragTo(x: number, y: number): void {
        if (this.held === undefined) {
            return;
        }
        const { origin, direction } = this.stage.ray(x, y);
        const facing = this.stage.camera.getWorldDirection(new Vector3());
        const distance = this.held.clone().sub(origin).dot(facing) / direction.dot(facing);
        this.world.drag(origin.addScaledVector(direction, distance).toArray());
    }

    private drop(): void {
        if (this.state === 'hold') {
            this.world.release();
            this.state = 'idle';
        }
        this.held = undefined;
        delete document.body.dataset['holding'];
    }

    private down(event: PointerEvent): void {
        const view = this.stage.canvas;
        view.setPointerCapture(event.pointerId);
        const { offsetX: x, offsetY: y } = event;
        this.leaveKeyboard();
        this.fingers.set(event.pointerId, { x, y, startX: x, startY: y });
        clearTimeout(this.timer);
        if (this.fingers.size === 2) {
            this.drop();
            this.state = 'pinch';
            this.spread = this.fingerSpread();
            return;
        }
        const wantsHold = event.button === 2 || this.world.tool() === 'grab';
        if (wantsHold && this.tryHold(x, y)) {
            return;
        }
        this.state =
            event.button === 1 || (event.button === 2 && event.shiftKey)
                ? 'pan'
                : wantsHold
                  ? 'orbit'
                  : 'press';
        if (event.pointerType !== 'mouse' && this.state === 'press') {
            this.timer = window.setTimeout(() => this.state === 'press' && this.tryHold(x, y), longPress);
        }
        this.setHover({ x, y });
    }

    private move(event: PointerEvent): void {
        const { offsetX: x, offsetY: y } = event;
        const finger = this.fingers.get(event.pointerId);
        if (finger === undefined) {
            this.setHover({ x, y });
            return;
        }
        const dx = x - finger.x;
        const dy = y - finger.y;
        if (this.state === 'press' && Math.hypot(x - finger.startX, y - finger.startY) > clickSlack) {
            this.state = event.shiftKey ? 'pan' : 'orbit';
            clearTimeout(this.timer);
            this.setHover(undefined);
        }
        if (this.state === 'press') {
            return;
        }
        finger.x = x;
        finger.y = y;
        if (this.state === 'hold') {
            this.dragTo(x, y);
        } else if (this.state === 'orbit') {
            this.orbit(dx, dy);
        } else if (this.state === 'pan') {
            this.pan(dx, dy);
        } else if (this.state === 'pinch') {
            const spread = this.fingerSpread();
            this.zoom(this.spread / Math.max(spread, 1));
            this.spread = spread;
            this.pan(dx / 2, dy / 2);
        }
    }

    private lift(event: PointerEvent): void {
        clearTimeout(this.timer);
        const pressed = this.state === 'press' && this.fingers.size === 1;
        this.cancel(event);
        if (pressed) {
            this.act(event.offsetX, event.offsetY);
        }
        this.setHover(event.pointerType === 'mouse' ? { x: event.offsetX, y: event.offsetY } : undefined);
    }

    private cancel(event: PointerEvent): void {
        this.fingers.delete(event.pointerId);
        clearTimeout(this.timer);
        this.drop();
        // A finger that stays after a pinch does nothing until it is lifted.
        if (this.fingers.size === 0) {
            this.state = 'idle';
        }
    }

    private wheel(event: WheelEvent): void {
        event.preventDefault();
        this.zoom(Math.exp(Math.max(-80, Math.min(80, event.deltaY)) * 0.0022));
    }

    private fingerSpread(): number {
        const [a, b] = [...this.fingers.values()];
        return a === undefined || b === undefined ? 1 : Math.hypot(a.x - b.x, a.y - b.y);
    }

    private setHover(at: { x: number; y: number } | undefined): void {
        this.hover = at;
        this.aimWanted = true;
        this.world.touched();
    }

    // ---- camera ----

    private orbit(dx: number, dy: number): void {
        const { camera, target } = this.stage;
        const arm = new Spherical().setFromVector3(camera.position.clone().sub(target));
        arm.theta -= dx * 0.006;
        arm.phi = Math.min(Math.max(arm.phi - dy * 0.006, 0.08), this.lowestAngle(arm.radius));
        camera.position.setFromSpherical(arm).add(target);
        camera.lookAt(target);
        this.cameraMoved();
    }

    /** The camera stays above a level floor. */
    private lowestAngle(radius: number): number {
        const floor = [...this.playback.planes.values()].find((plane) => plane.normal.y > 0.99);
        const height = floor === undefined ? -radius : floor.point.y + 0.03 * radius - this.stage.target.y;
        return Math.acos(Math.max(-0.98, Math.min(0.98, height / radius)));
    }

    private zoom(factor: number): void {
        const { camera, target } = this.stage;
        const arm = camera.position.clone().sub(target);
        arm.setLength(Math.min(Math.max(arm.length() * factor, 0.08), 80));
        camera.position.copy(target).add(arm);
        this.cameraMoved();
    }

    private pan(dx: number, dy: number): void {
        const { camera, target, canvas } = this.stage;
        const scale =
            (2 * camera.position.distanceTo(target) * Math.tan((camera.fov * Math.PI) / 360)) /
            canvas.clientHeight;
        const shift = new Vector3(-dx * scale, dy * scale, 0).applyQuaternion(camera.quaternion);
        camera.position.add(shift);
        target.add(shift);
        this.cameraMoved();
    }

    private cameraMoved(): void {
        this.aimWanted = true;
        this.world.touched();
    }

    // ---- keys ----

    private key(event: KeyboardEvent): void {
        const arrows: Record<string, [number, number]> = {
            ArrowLeft: [-1, 0],
            ArrowRight: [1, 0],
            ArrowUp: [0, -1],
            ArrowDown: [0, 1],
        };
        const arrow = arrows[event.key];
        if (arrow !== undefined && event.shiftKey) {
            this.orbit(arrow[0] * -16, arrow[1] * -16);
        } else if (arrow !== undefined) {
            this.moveReticle(arrow[0] * 14, arrow[1] * 14);
        } else if (event.key === 'Enter' || event.key === ' ') {
            this.useReticle();
        } else if (event.key === '+' || event.key === '=') {
            this.zoom(0.9);
        } else if (event.key === '-') {
            this.zoom(1.1);
        } else {
            return;
        }
        event.preventDefault();
    }

    private moveReticle(dx: number, dy: number): void {
        const { clientWidth: width, clientHeight: height } = this.stage.canvas;
        const at = this.reticle ?? this.middle();
        this.reticle = {
            x: Math.min(Math.max(at.x + dx, 0), width),
            y: Math.min(Math.max(at.y + dy, 0), height),
        };
        if (this.state === 'hold') {
            this.dragTo(this.reticle.x, this.reticle.y);
        }
        this.showReticle();
    }

    /** Where the camera looks at, on the screen. */
    private middle(): { x: number; y: number } {
        const { clientWidth: width, clientHeight: height } = this.stage.canvas;
        const at = this.stage.target.clone().project(this.stage.camera);
        return { x: ((at.x + 1) / 2) * width, y: ((1 - at.y) / 2) * height };
    }

    private useReticle(): void {
        this.reticle ??= this.middle();
        this.showReticle();
        if (this.world.tool() !== 'grab') {
            this.act(this.reticle.x, this.reticle.y);
        } else if (this.state === 'hold') {
            this.drop();
        } else {
            this.tryHold(this.reticle.x, this.reticle.y);
        }
    }

    private showReticle(): void {
        this.cross.hidden = false;
        this.cross.style.left = `${this.reticle!.x}px`;
        this.cross.style.top = `${this.reticle!.y}px`;
        this.aimWanted = true;
        this.world.touched();
    }

    private leaveKeyboard(): void {
        if (this.reticle !== undefined) {
            this.drop();
            this.reticle = undefined;
            this.cross.hidden = true;
            this.mark.hide();
            this.world.touched();
        }
    }
}
