// What a ray meets first: bodies as they are drawn, and planes.
import { Quaternion, Vector3 } from 'three';
import type { MeshData } from './batches.ts';
import type { Drawn, Playback } from './playback.ts';

export interface Hit {
    distance: number;
    point: Vector3;
    normal: Vector3;
    body: Drawn | undefined;
}

const localOrigin = new Vector3();
const localDirection = new Vector3();
const inverse = new Quaternion();
const offset = new Vector3();
const corner = [new Vector3(), new Vector3(), new Vector3()] as const;
const edge1 = new Vector3();
const edge2 = new Vector3();
const cross = new Vector3();

/** Larger meshes are met at the ball that holds them: aiming stays quick. */
const mostTriangles = 100000;

export function pick(playback: Playback, origin: Vector3, direction: Vector3): Hit | undefined {
    const candidates: { body: Drawn; near: number }[] = [];
    for (const body of playback.drawn.values()) {
        const near = enterSphere(body, origin, direction);
        if (near !== undefined) {
            candidates.push({ body, near });
        }
    }
    candidates.sort((a, b) => a.near - b.near);
    let best: { distance: number; normal: Vector3; body: Drawn | undefined } | undefined;
    for (const { body, near } of candidates) {
        if (best !== undefined && near > best.distance) {
            break;
        }
        const hit = meetBody(playback.meshes.get(body.info.mesh)!, body, origin, direction, near);
        if (hit !== undefined && hit.distance < (best?.distance ?? Infinity)) {
            best = { ...hit, body };
        }
    }
    for (const plane of playback.planes.values()) {
        const down = -direction.dot(plane.normal);
        const height = offset.copy(origin).sub(plane.point).dot(plane.normal);
        const distance = height / down;
        if (down > 1e-6 && distance > 0 && distance < (best?.distance ?? Infinity)) {
            best = { distance, normal: plane.normal.clone(), body: undefined };
        }
    }
    return best === undefined
        ? undefined
        : { ...best, point: origin.clone().addScaledVector(direction, best.distance) };
}

function enterSphere(body: Drawn, origin: Vector3, direction: Vector3): number | undefined {
    offset.copy(body.center).sub(origin);
    const along = offset.dot(direction);
    const squared = offset.lengthSq() - along * along;
    const radius = body.info.radius;
    if (squared > radius * radius || along < -radius) {
        return undefined;
    }
    return Math.max(0, along - Math.sqrt(radius * radius - squared));
}

function meetBody(
    mesh: MeshData,
    body: Drawn,
    origin: Vector3,
    direction: Vector3,
    near: number,
): { distance: number; normal: Vector3 } | undefined {
    if (mesh.indices.length > 3 * mostTriangles) {
        return { distance: near, normal: direction.clone().negate() };
    }
    inverse.copy(body.rotation).invert();
    localOrigin.copy(origin).sub(body.position).applyQuaternion(inverse);
    localDirection.copy(direction).applyQuaternion(inverse);
    let best = Infinity;
    const normal = new Vector3();
    for (let i = 0; i < mesh.indices.length; i += 3) {
        const distance = meetTriangle(mesh, i);
        if (distance !== undefined && distance < best) {
            best = distance;
            normal.copy(edge1).cross(edge2);
        }
    }
    return best < Infinity
        ? { distance: best, normal: normal.normalize().applyQuaternion(body.rotation) }
        : undefined;
}

/** Moeller and Trumbore, 1997: leaves the edges in edge1 and edge2. */
function meetTriangle(mesh: MeshData, at: number): number | undefined {
    for (let k = 0; k < 3; ++k) {
        corner[k]!.fromArray(mesh.positions, mesh.indices[at + k]! * 3);
    }
    edge1.subVectors(corner[1], corner[0]);
    edge2.subVectors(corner[2], corner[0]);
    cross.crossVectors(localDirection, edge2);
    const determinant = edge1.dot(cross);
    if (Math.abs(determinant) < 1e-14) {
        return undefined;
    }
    offset.subVectors(localOrigin, corner[0]);
    const u = offset.dot(cross) / determinant;
    if (u < 0 || u > 1) {
        return undefined;
    }
    offset.cross(edge1);
    const v = localDirection.dot(offset) / determinant;
    const distance = edge2.dot(offset) / determinant;
    return v < 0 || u + v > 1 || distance <= 0 ? undefined : distance;
}
