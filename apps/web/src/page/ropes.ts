// Ropes, rods and springs of a scene as lines: the engine says nothing about them, but the scene does. Those
// that may break are left out.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Scene, Vector3 } from 'three';
import type { Vec3 } from '../engine/protocol.ts';
import type { Joint } from './edits.ts';
import type { Drawn, Playback } from './playback.ts';

const drawnKinds = ['rope', 'distance', 'spring'];
const end = new Vector3();

export class Ropes {
    private readonly lines = new LineSegments(
        new BufferGeometry(),
        new LineBasicMaterial({ color: '#3b3128' }),
    );
    private joints: Joint[] = [];

    constructor(scene: Scene) {
        this.lines.frustumCulled = false;
        this.lines.visible = false;
        scene.add(this.lines);
    }

    clear(joints: Joint[]): void {
        this.joints = joints.filter(
            (joint) => drawnKinds.includes(joint.kind) && joint.breakForce === undefined,
        );
        this.lines.visible = false;
        this.lines.geometry.dispose();
        this.lines.geometry.setAttribute(
            'position',
            new BufferAttribute(new Float32Array(this.joints.length * 6), 3),
        );
    }

    update(playback: Playback): void {
        if (this.joints.length === 0) {
            return;
        }
        const bodies = new Map([...playback.drawn.values()].map((body) => [body.info.name, body]));
        const places = this.lines.geometry.getAttribute('position');
        let count = 0;
        for (const { a, anchorA, b, anchorB, pointB } of this.joints) {
            const from = bodies.get(a);
            const to = b === undefined ? undefined : bodies.get(b);
            if (from === undefined || (to === undefined && pointB === undefined)) {
                continue;
            }
            put(places, count++, from, anchorA);
            put(places, count++, to, to === undefined ? pointB : anchorB);
        }
        this.lines.geometry.setDrawRange(0, count);
        places.needsUpdate = true;
        this.lines.visible = count > 0;
    }
}

/** A point in the axes of a body, or of the world where there is none. */
function put(
    places: ReturnType<BufferGeometry['getAttribute']>,
    index: number,
    body: Drawn | undefined,
    point: Vec3 = [0, 0, 0],
): void {
    end.fromArray(point);
    if (body !== undefined) {
        end.applyQuaternion(body.rotation).add(body.position);
    }
    places.setXYZ(index, end.x, end.y, end.z);
}
