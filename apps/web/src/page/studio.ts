// Light from all around, as from the lamps of a photographer: a cube of images whose levels are blurred more
// and more, for surfaces that are rougher and rougher. It is written down as a formula, so that nothing has
// to be filtered: three's own way takes many seconds where there is no graphics card.
import {
    CubeTexture,
    DataTexture,
    DataUtils,
    HalfFloatType,
    LinearFilter,
    LinearMipmapLinearFilter,
    LinearSRGBColorSpace,
    RGBAFormat,
    Vector3,
} from 'three';

interface Lamp {
    /** Where it hangs, seen from the scene. */
    to: Vector3;
    /** Half width and half height, radians. */
    width: number;
    height: number;
    light: [number, number, number];
}

const lamps: Lamp[] = [
    { to: new Vector3(0.2, 1, 0.35), width: 0.55, height: 0.4, light: [8.4, 8.0, 7.3] },
    { to: new Vector3(-1, 0.25, 0.35), width: 0.16, height: 0.5, light: [4.2, 4.7, 5.2] },
    { to: new Vector3(1, 0.3, 0.55), width: 0.13, height: 0.42, light: [4.6, 4.2, 3.7] },
    { to: new Vector3(0, 0.35, -1), width: 0.6, height: 0.12, light: [2.6, 2.8, 3.0] },
];
const sky: [number, number, number] = [0.44, 0.48, 0.53];
const ground: [number, number, number] = [0.4, 0.38, 0.35];

const size = 64;
/** Levels that the shader reads: 64, 32, 16, 8 and 4 pixels wide. */
const lastLevel = 4;

/** A box of width 2 a, blurred by w: whatever the blur, its area is the same. */
function blurredBox(x: number, a: number, w: number): number {
    return 0.5 * (Math.tanh((a - x) / w) + Math.tanh((a + x) / w));
}

const right = new Vector3();
const above = new Vector3();
const upright = new Vector3(0, 1, 0);
const forward = new Vector3(0, 0, 1);

function radiance(direction: Vector3, blur: number, out: [number, number, number]): void {
    const up = 0.5 + 0.5 * Math.tanh(direction.y / (0.1 + blur));
    for (let k = 0; k < 3; ++k) {
        out[k] = ground[k]! + (sky[k]! - ground[k]!) * up;
    }
    for (const lamp of lamps) {
        const toward = direction.dot(lamp.to);
        right.crossVectors(Math.abs(lamp.to.y) > 0.9 ? forward : upright, lamp.to).normalize();
        above.crossVectors(lamp.to, right);
        const angle = Math.acos(Math.min(1, Math.max(-1, toward)));
        const part = angle < 1e-6 ? 1 : angle / Math.sin(Math.max(angle, 1e-6));
        const share =
            blurredBox(direction.dot(right) * part, lamp.width, blur) *
            blurredBox(direction.dot(above) * part, lamp.height, blur);
        // Far from the lamp the plane of its angles makes no sense any more.
        const near = Math.max(0, 0.5 + 0.5 * toward);
        for (let k = 0; k < 3; ++k) {
            out[k]! += lamp.light[k]! * share * near;
        }
    }
}

/** Direction of a texel of a face, as cube maps have them. */
function texel(face: number, u: number, v: number, out: Vector3): Vector3 {
    switch (face) {
        case 0:
            return out.set(1, -v, -u).normalize();
        case 1:
            return out.set(-1, -v, u).normalize();
        case 2:
            return out.set(u, 1, v).normalize();
        case 3:
            return out.set(u, -1, -v).normalize();
        case 4:
            return out.set(u, -v, 1).normalize();
        default:
            return out.set(-u, -v, -1).normalize();
    }
}

function faces(width: number, roughness: number): DataTexture[] {
    const blur = 0.025 + 0.9 * roughness * roughness + 0.15 * roughness;
    const direction = new Vector3();
    const light: [number, number, number] = [0, 0, 0];
    return [0, 1, 2, 3, 4, 5].map((face) => {
        const data = new Uint16Array(4 * width * width);
        for (let i = 0; i < width * width; ++i) {
            const u = (2 * ((i % width) + 0.5)) / width - 1;
            const v = (2 * (Math.floor(i / width) + 0.5)) / width - 1;
            radiance(texel(face, u, v, direction), blur, light);
            light.forEach((value, k) => (data[4 * i + k] = DataUtils.toHalfFloat(value)));
            data[4 * i + 3] = DataUtils.toHalfFloat(1);
        }
        return new DataTexture(data, width, width, RGBAFormat, HalfFloatType);
    });
}

/** For Scene.environment. */
export function studioLight(): CubeTexture {
    lamps.forEach((lamp) => lamp.to.normalize());
    const cube = new CubeTexture(faces(size, 0) as unknown as HTMLImageElement[]);
    cube.type = HalfFloatType;
    cube.format = RGBAFormat;
    cube.colorSpace = LinearSRGBColorSpace;
    cube.minFilter = LinearMipmapLinearFilter;
    cube.magFilter = LinearFilter;
    cube.generateMipmaps = false;
    // Uploaded as levels 1, 2, ...; the shader takes the length of the list as one more than the last level,
    // and its first width as the size. So the list is one longer than what is read.
    const levels = [1, 2, 3, 4, 5].map((level) => ({
        image: faces(size >> level, 1 - Math.sqrt(1 - Math.min(level, lastLevel) / lastLevel)),
        width: size,
        height: size,
    }));
    cube.mipmaps = levels as unknown as CubeTexture['mipmaps'];
    cube.isPMREMTexture = true;
    cube.needsUpdate = true;
    return cube;
}
