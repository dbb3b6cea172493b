// What materials look like. Meshes have positions and normals only, so grain and speckles are made in the
// shader from where a point was in the body before anything broke: they run on from piece to piece.
import {
    Color,
    DoubleSide,
    FrontSide,
    MeshDepthMaterial,
    MeshPhysicalMaterial,
    MeshStandardMaterial,
    RGBADepthPacking,
} from 'three';
import type { Material, WebGLProgramParametersWithUniforms } from 'three';
import type { Vec3 } from '../engine/protocol.ts';

export type Part = 'skin' | 'crack';
type Pattern = 'plain' | 'stone' | 'concrete' | 'wood' | 'clay' | 'ice' | 'rough';

interface Surface {
    color: string;
    roughness: number;
    metalness?: number;
    clearcoat?: number;
    sheen?: number;
    /** Less than 1: seen through, most when seen straight on. */
    opacity?: number;
    pattern: Pattern;
    /** Metres: how high the bumps of the pattern seem. */
    bump?: number;
}

interface Look {
    skin: Surface;
    crack: Surface;
    /** Colours of whole bodies, one after the other, when the scene gives none. */
    tints?: string[];
    /** How much bodies of one colour differ in brightness. */
    spread?: number;
}

const looks: Record<string, Look> = {
    glass: {
        skin: { color: '#d3ebe5', roughness: 0.04, opacity: 0.2, pattern: 'plain' },
        crack: { color: '#b5e3d5', roughness: 0.3, opacity: 0.5, pattern: 'plain' },
    },
    ceramic: {
        skin: { color: '#ffffff', roughness: 0.22, clearcoat: 1, pattern: 'plain' },
        crack: { color: '#efe4d3', roughness: 0.95, pattern: 'rough', bump: 0.0006 },
        tints: ['#f1ece1', '#3f6f8f', '#e9e2d2', '#b9552f', '#7f9a86', '#f3efe6', '#d9a441', '#2f4858'],
    },
    concrete: {
        skin: { color: '#9d9c97', roughness: 0.9, pattern: 'concrete', bump: 0.002 },
        crack: { color: '#b9b5ac', roughness: 1, pattern: 'rough', bump: 0.006 },
        spread: 0.06,
    },
    stone: {
        skin: { color: '#8d8780', roughness: 0.72, pattern: 'stone', bump: 0.001 },
        crack: { color: '#b3aca2', roughness: 1, pattern: 'rough', bump: 0.003 },
        spread: 0.14,
    },
    plaster: {
        skin: { color: '#e6e1d8', roughness: 0.85, pattern: 'concrete', bump: 0.0008 },
        crack: { color: '#f6f3ec', roughness: 1, pattern: 'rough', bump: 0.002 },
    },
    ice: {
        skin: { color: '#cfe6f2', roughness: 0.12, opacity: 0.45, pattern: 'ice' },
        crack: { color: '#eef7fb', roughness: 0.5, opacity: 0.7, pattern: 'ice' },
    },
    wood: {
        skin: { color: '#8a5a36', roughness: 0.55, clearcoat: 0.25, pattern: 'wood', bump: 0.0003 },
        crack: { color: '#d2ab7b', roughness: 0.95, pattern: 'wood', bump: 0.002 },
        spread: 0.1,
    },
    clay: {
        skin: { color: '#a8502f', roughness: 0.85, pattern: 'clay', bump: 0.0015 },
        crack: { color: '#c9764f', roughness: 1, pattern: 'rough', bump: 0.003 },
        spread: 0.22,
    },
    steel: {
        skin: { color: '#c3c7cb', roughness: 0.24, metalness: 1, pattern: 'plain' },
        crack: { color: '#d9dcde', roughness: 0.5, metalness: 1, pattern: 'rough', bump: 0.0004 },
    },
    rubber: {
        skin: { color: '#2c2f33', roughness: 0.75, sheen: 0.4, pattern: 'plain' },
        crack: { color: '#3d4146', roughness: 1, pattern: 'rough', bump: 0.001 },
    },
};

export const materialNames = Object.keys(looks);

export function lookOf(preset: string): Look {
    return looks[preset] ?? looks['stone']!;
}

/** Colour of a body that nothing broke off from: the n-th of its kind. */
export function tintOf(
    preset: string,
    count: number,
    given: Vec3 | undefined,
    glazes: string[] | undefined,
): Color {
    const look = lookOf(preset);
    const tints = preset === 'ceramic' ? (glazes ?? look.tints) : look.tints;
    const tint = new Color(look.skin.color);
    if (given !== undefined) {
        tint.setRGB(given[0], given[1], given[2]);
    } else if (tints !== undefined) {
        tint.set(tints[count % tints.length]!);
    }
    // Steps of the golden ratio never cluster: neighbours of a wall differ, however many there are.
    const offset = ((count * 0.618034) % 1) - 0.5;
    return tint.multiplyScalar(1 + (look.spread ?? 0) * offset);
}

/** Colour of what breaking lays open in a body of that colour: lighter, and mostly that of the stuff
 * itself. */
export function crackTint(preset: string, tint: Color): Color {
    const look = lookOf(preset);
    return new Color(look.crack.color).lerp(tint, look.tints === undefined ? 0.3 : 0.08);
}

const noise = /* glsl */ `
float patternHash(vec3 p) {
    p = fract(p * 0.1031); p += dot(p, p.zyx + 31.32); return fract((p.x + p.y) * p.z); }
float patternNoise(vec3 p) {
    vec3 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(patternHash(i), patternHash(i + vec3(1, 0, 0)), f.x),
                   mix(patternHash(i + vec3(0, 1, 0)), patternHash(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(patternHash(i + vec3(0, 0, 1)), patternHash(i + vec3(1, 0, 1)), f.x),
                   mix(patternHash(i + vec3(0, 1, 1)), patternHash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}
vec3 patternBump(vec3 at, vec3 n, float height) {
    vec3 sx = dFdx(at), sy = dFdy(at);
    vec3 r1 = cross(sy, n), r2 = cross(n, sx);
    float det = dot(sx, r1);
    vec3 slope = sign(det) * (dFdx(height) * r1 + dFdy(height) * r2);
    return normalize(abs(det) * n - slope);
}
`;

/** Per pattern: `shade` scales the colour, `height` (0 to 1) bumps the surface; p is in metres. */
const patterns: Record<Pattern, string> = {
    plain: '',
    stone: `float big = patternNoise(p * 9.0), fine = patternNoise(p * 160.0);
        shade = 0.78 + 0.3 * big + 0.22 * smoothstep(0.55, 0.85, fine) - 0.2 * smoothstep(0.3, 0.1, fine);
        height = fine;`,
    concrete: `float big = patternNoise(p * 5.0), mid = patternNoise(p * 32.0), fine = patternNoise(p * 190.0);
        shade = 0.84 + 0.16 * big + 0.1 * mid + 0.08 * fine - 0.3 * smoothstep(0.2, 0.1, fine);
        height = 0.6 * fine + 0.4 * mid;`,
    wood: `float wave = patternNoise(p * vec3(1.6, 7.0, 7.0)) * 2.2;
        float ring = fract(length(p.yz + vec2(0.11, 0.23)) * 34.0 + wave);
        float fibre = patternNoise(p * vec3(22.0, 520.0, 520.0));
        shade = 0.72 + 0.34 * smoothstep(0.0, 0.75, ring) * smoothstep(1.0, 0.8, ring) + 0.22 * fibre;
        height = fibre;`,
    clay: `float big = patternNoise(p * 11.0), fine = patternNoise(p * 140.0);
        shade = 0.82 + 0.22 * big + 0.2 * fine - 0.25 * smoothstep(0.22, 0.12, fine); height = fine;`,
    ice: 'float big = patternNoise(p * 14.0); shade = 0.9 + 0.2 * big; height = big;',
    rough: `float mid = patternNoise(p * 60.0), fine = patternNoise(p * 240.0);
        shade = 0.86 + 0.16 * mid + 0.12 * fine; height = 0.55 * mid + 0.45 * fine;`,
};
const patternNames = Object.keys(patterns) as Pattern[];

const vertexHead = 'attribute vec3 pattern;\nvarying vec3 vPattern;\n';

/** All patterns are in one program, chosen by a number: a program takes long to be made, above all in the
 * middle of a run. */
function patternCode(): string {
    const branches = patternNames.map((name, i) => `if (patternKind == ${i}) { ${patterns[name]} }`);
    const choice = branches.join('\nelse ');
    return `float shade = 1.0, height = 0.0;\n{ vec3 p = vPattern;\n${choice} }\ndiffuseColor.rgb *= shade;`;
}

function patch(surface: Surface, shader: WebGLProgramParametersWithUniforms): void {
    shader.uniforms['patternKind'] = { value: patternNames.indexOf(surface.pattern) };
    shader.uniforms['patternHeight'] = { value: surface.bump ?? 0 };
    shader.vertexShader =
        vertexHead +
        shader.vertexShader.replace(
            '#include <begin_vertex>',
            '#include <begin_vertex>\nvPattern = pattern;',
        );
    const given = 'varying vec3 vPattern;\nuniform int patternKind;\nuniform float patternHeight;\n';
    let fragment = `${given}${noise}${shader.fragmentShader}`;
    fragment = fragment.replace('#include <color_fragment>', `#include <color_fragment>\n${patternCode()}`);
    // Bumps smaller than a pixel would only glitter: they fade with the distance.
    fragment = fragment.replace(
        '#include <normal_fragment_maps>',
        `#include <normal_fragment_maps>
        float patternFade = clamp(0.004 / max(length(fwidth(vPattern)), 1e-6), 0.0, 1.0);
        if (patternHeight > 0.0)
            normal = patternBump(-vViewPosition, normal, height * patternHeight * patternFade);`,
    );
    if (surface.opacity !== undefined) {
        fragment = fragment.replace(
            '#include <opaque_fragment>',
            `
            float edge = 1.0 - abs(dot(normal, normalize(vViewPosition)));
            float shine = max(max(totalSpecular.r, totalSpecular.g), totalSpecular.b);
            diffuseColor.a = clamp(diffuseColor.a + 0.75 * edge * edge * edge + 0.7 * shine, 0.0, 0.97);
            #include <opaque_fragment>`,
        );
    }
    shader.fragmentShader = fragment;
}

/** Shadows of what is seen through: most of it is left out, at random; soft shadows make grey of that. */
function thinShadow(): Material {
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    depth.onBeforeCompile = (shader) => {
        shader.fragmentShader = shader.fragmentShader.replace(
            'void main() {',
            `void main() {
            float place = dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715));
            if (fract(52.9829189 * fract(place)) > 0.34) discard;`,
        );
    };
    return depth;
}

let plainCoats = false;

/** Without a graphics card coats do without a second layer of gloss. */
export function setPlainCoats(plain: boolean): void {
    plainCoats = plain;
}

export interface Coat {
    material: MeshStandardMaterial;
    shadow?: Material;
}

/** The material to draw one part of bodies of a preset; colours come with each body. */
export function coatOf(preset: string, part: Part): Coat {
    const surface = lookOf(preset)[part];
    const through = surface.opacity !== undefined;
    const common = {
        color: '#ffffff',
        roughness: surface.roughness,
        metalness: surface.metalness ?? 0,
        opacity: surface.opacity ?? 1,
        transparent: through,
        depthWrite: !through,
        side: through ? DoubleSide : FrontSide,
        envMapIntensity: through ? 1.5 : 1,
    };
    const glossy = (surface.clearcoat ?? 0) > 0 || (surface.sheen ?? 0) > 0;
    const material =
        plainCoats || !glossy
            ? new MeshStandardMaterial(common)
            : new MeshPhysicalMaterial({
                  ...common,
                  clearcoat: surface.clearcoat ?? 0,
                  clearcoatRoughness: 0.12,
                  sheen: surface.sheen ?? 0,
              });
    material.onBeforeCompile = (shader) => patch(surface, shader);
    material.customProgramCacheKey = () => `body ${through}`;
    return through ? { material, shadow: thinShadow() } : { material };
}
