// What the panel holds: read from the controls, written to them, and to and from links.
import type { Overlays } from '../engine/protocol.ts';
import type { Ball } from './aim.ts';
import type { Entry } from './catalogue.ts';
import type { Edits } from './edits.ts';
import { materialNames } from './looks.ts';

export function element<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (found === null) {
        throw new Error(`the page has no element '${id}'`);
    }
    return found as T;
}

const input = (id: string): HTMLInputElement => element<HTMLInputElement>(id);
const select = (id: string): HTMLSelectElement => element<HTMLSelectElement>(id);

const overlayTexts: [keyof Overlays, string, string][] = [
    ['contacts', 'Contacts', 'Contact points with their impulses: one line per point, along the normal.'],
    ['samples', 'Sample points', 'Points on each surface that are tested against the other body.'],
    ['fields', 'Fields', 'Cells with the distance to the surface: used for collisions of curved bodies.'],
    ['islands', 'Islands', 'Bodies that touch share a colour; each group is solved, or sleeps, by itself.'],
    ['stress', 'Stress', 'Tension in breakable bodies, from the impulses of the last step: blue to red.'],
    ['boxes', 'Boxes', 'Bounding boxes: a quick test which bodies cannot touch.'],
];

export function fillPanel(): void {
    for (const id of ['ball-material', 'edit-material']) {
        for (const name of materialNames) {
            select(id).append(new Option(name, name));
        }
    }
    for (const [key, name, text] of overlayTexts) {
        const label = document.createElement('label');
        label.className = 'tick';
        label.innerHTML =
            `<input type="checkbox" id="overlay-${key}">` +
            `<span>${name}<small>${text}</small></span>`;
        element('overlays').append(label);
    }
}

export function readBall(): Ball {
    return {
        speed: Number(input('ball-speed').value),
        radius: Number(input('ball-radius').value) / 100,
        material: select('ball-material').value,
    };
}

export function writeBall(ball: Ball): void {
    widen(input('ball-speed'), ball.speed);
    widen(input('ball-radius'), ball.radius * 100);
    select('ball-material').value = ball.material;
    showOutputs();
}

/** A link may ask for more than the slider has. */
function widen(slider: HTMLInputElement, value: number): void {
    slider.max = String(Math.max(Number(slider.max), value));
    slider.min = String(Math.min(Number(slider.min), value));
    slider.value = String(value);
}

export function readEdits(entry: Entry | undefined): Edits {
    const pieces = Number(input('edit-pieces').value);
    const strength = Number(input('edit-strength').value);
    const events = input('edit-events').checked;
    return {
        method: (select('edit-method').value || undefined) as Edits['method'],
        pattern: select('edit-pattern').value || undefined,
        material: select('edit-material').value || undefined,
        pieces: pieces > 0 ? pieces : undefined,
        strength: strength !== 0 ? Number((10 ** strength).toPrecision(6)) : undefined,
        withoutEvents: entry === undefined || events ? undefined : true,
    };
}

/** `withoutEvents` undefined: as the catalogue has it. */
export function writeEdits(edits: Edits, entry: Entry | undefined): void {
    select('edit-method').value = edits.method ?? '';
    select('edit-pattern').value = edits.pattern ?? '';
    select('edit-material').value = edits.material ?? '';
    widen(input('edit-pieces'), edits.pieces ?? 0);
    input('edit-strength').value = String(edits.strength === undefined ? 0 : Math.log10(edits.strength));
    input('edit-events').checked =
        edits.withoutEvents === undefined ? (entry?.events ?? true) : !edits.withoutEvents;
    showOutputs();
}

export function readSeed(): number {
    const seed = Math.round(Number(input('seed').value));
    return Number.isFinite(seed) ? Math.min(Math.max(seed, 0), 4294967295) : 1;
}

export function writeSeed(seed: number): void {
    input('seed').value = String(seed);
}

export function readOverlays(): Overlays {
    const on = (key: keyof Overlays): boolean => input(`overlay-${key}`).checked;
    return {
        contacts: on('contacts'),
        samples: on('samples'),
        fields: on('fields'),
        islands: on('islands'),
        stress: on('stress'),
        boxes: on('boxes'),
    };
}

/** Numbers beside the sliders; slider values that mean something else are said in words to screen readers
 * too. */
export function showOutputs(): void {
    const pieces = Number(input('edit-pieces').value);
    const strength = 10 ** Number(input('edit-strength').value);
    const texts: Record<string, string> = {
        'ball-speed': `${input('ball-speed').value} m/s`,
        'ball-radius': `${Number(input('ball-radius').value)} cm`,
        'edit-pieces': pieces === 0 ? 'scene' : String(pieces),
        'edit-strength': `\u00d7${strength.toFixed(strength < 0.1 ? 2 : strength < 10 ? 1 : 0)}`,
        explode: `${Math.round(Number(input('explode').value) * 100)} %`,
    };
    for (const [id, text] of Object.entries(texts)) {
        document.querySelector<HTMLOutputElement>(`output[for="${id}"]`)!.value = text;
        input(id).setAttribute('aria-valuetext', text);
    }
}
