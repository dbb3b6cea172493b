// From a place on the screen to a throw: the ball starts on the side of the eye and comes through the point
// that was aimed at.
import {
    BufferAttribute,
    BufferGeometry,
    Group,
    Mesh,
    MeshBasicMaterial,
    Points,
    PointsMaterial,
    RingGeometry,
    Vector3,
} from 'three';
import type { Hit } from './pick.ts';

export interface Ball {
    /** m/s, m, name of a material. */
    speed: number;
    radius: number;
    material: string;
}

export interface Throw {
    origin: Vector3;
    velocity: Vector3;
    /** Seconds until it is there. */
    duration: number;
}

/** Seconds of flight at most: a click should be answered at once, however far the camera is. */
const longestFlight = 0.45;

export function aimAt(hit: Vector3, eye: Vector3, ball: Ball, gravity: Vector3, floor: number): Throw {
    const way = hit.clone().sub(eye);
    const distance = way.length();
    const flight = Math.max(
        Math.min(0.9 * distance, longestFlight * ball.speed),
        Math.min(3 * ball.radius, 0.9 * distance),
    );
    const origin = hit.clone().addScaledVector(way, -flight / distance);
    // From below the eye: the path is seen from the side, not end on.
    origin.y = Math.max(origin.y - 0.14 * flight, floor + 1.05 * ball.radius);
    const duration = Math.max(origin.distanceTo(hit), 1e-3) / ball.speed;
    const velocity = hit
        .clone()
        .sub(origin)
        .divideScalar(duration)
        .addScaledVector(gravity, -0.5 * duration);
    return { origin, velocity, duration };
}

/** A dotted path and a ring where it ends. */
export class AimMark {
    readonly group = new Group();
    private readonly path: Points;
    private readonly ring: Mesh;
    private static readonly dots = 22;

    constructor() {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(AimMark.dots * 3), 3));
        this.path = new Points(
            geometry,
            new PointsMaterial({
                color: '#9c3a22',
                size: 5,
                sizeAttenuation: false,
                transparent: true,
                opacity: 0.75,
                toneMapped: false,
            }),
        );
        this.ring = new Mesh(
            new RingGeometry(0.82, 1, 40),
            new MeshBasicMaterial({
                color: '#9c3a22',
                transparent: true,
                opacity: 0.9,
                depthTest: false,
                toneMapped: false,
                side: 2,
            }),
        );
        this.path.frustumCulled = false;
        this.ring.renderOrder = 5;
        this.group.add(this.path, this.ring);
        this.group.visible = false;
    }

    show(hit: Hit, aimed: Throw | undefined, ball: Ball, gravity: Vector3): void {
        this.group.visible = true;
        this.ring.position.copy(hit.point).addScaledVector(hit.normal, 0.02 * ball.radius);
        this.ring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), hit.normal);
        this.ring.scale.setScalar(Math.max(ball.radius, 0.01));
        this.path.visible = aimed !== undefined;
        if (aimed === undefined) {
            return;
        }
        const places = this.path.geometry.getAttribute('position');
        const at = new Vector3();
        for (let i = 0; i < AimMark.dots; ++i) {
            // The first half is too near to the eye to be of use.
            const t = aimed.duration * (0.3 + (0.68 * i) / AimMark.dots);
            at.copy(aimed.origin)
                .addScaledVector(aimed.velocity, t)
                .addScaledVector(gravity, 0.5 * t * t);
            places.setXYZ(i, at.x, at.y, at.z);
        }
        places.needsUpdate = true;
    }

    hide(): void {
        this.group.visible = false;
    }
}
