// Controls, keys and panels, tied to the app.
import type { ExportKind } from '../engine/protocol.ts';
import type { App } from './app.ts';
import { catalogue } from './catalogue.ts';
import { onDrop } from './files.ts';
import type { Tool } from './hands.ts';
import { say } from './messages.ts';
import * as settings from './settings.ts';
import type { Quality } from './stage.ts';

const { element } = settings;
const narrow = window.matchMedia('(max-width: 700px)');
/** Below this the figures would lie on the scene. */
const cramped = window.matchMedia('(max-width: 1100px)');

export function bindPanel(app: App): void {
    settings.fillPanel();
    bindScenes(app);
    bindTime(app);
    bindBall(app);
    bindBreaking(app);
    bindView(app);
    bindFiles(app);
    bindFolding(app);
    bindKeys(app);
    bindWindow(app);
}

function click(id: string, run: () => void): void {
    element(id).addEventListener('click', run);
}

function bindScenes(app: App): void {
    const list = element('scenes');
    for (const entry of catalogue) {
        const button = document.createElement('button');
        button.type = 'button';
        button.dataset['scene'] = entry.file;
        button.setAttribute('role', 'menuitem');
        button.innerHTML =
            `<svg viewBox="0 0 34 34" aria-hidden="true"><path d="${entry.sign}"/></svg>` +
            `<strong>${entry.name}</strong><small>${entry.about}</small>`;
        button.addEventListener('click', () => {
            list.hidePopover();
            void app.choose(entry);
        });
        list.append(button);
    }
    list.addEventListener('toggle', () => list.querySelector<HTMLElement>('[aria-current="true"]')?.focus());
    list.addEventListener('keydown', (event) => walkList(list, event));
}

/** Arrow keys walk through the list, as in menus. */
function walkList(list: HTMLElement, event: KeyboardEvent): void {
    const way = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (way !== 0) {
        const all = [...list.querySelectorAll('button')];
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        all[(at + way + all.length) % all.length]!.focus();
        event.preventDefault();
    }
}

function bindTime(app: App): void {
    const speed = element<HTMLSelectElement>('speed');
    click('play', () => app.setPlaying(!app.playing));
    click('step', () => app.step());
    click('reset', () => app.reset());
    speed.addEventListener('change', () => app.setSpeed(Number(speed.value)));
    document.querySelectorAll<HTMLInputElement>('input[name="tool"]').forEach((radio) => {
        radio.addEventListener('change', () => setTool(app, radio.value as Tool));
    });
}

function setTool(app: App, tool: Tool): void {
    app.tool = tool;
    document.body.dataset['tool'] = tool;
    document.querySelector<HTMLInputElement>(`input[name="tool"][value="${tool}"]`)!.checked = true;
    app.hands?.refresh();
    app.touch();
}

function bindBall(app: App): void {
    for (const id of ['ball-speed', 'ball-radius', 'ball-material']) {
        element(id).addEventListener('input', () => {
            settings.showOutputs();
            app.hands?.refresh();
        });
    }
}

function bindBreaking(app: App): void {
    let timer = 0;
    const later = (): void => {
        settings.showOutputs();
        clearTimeout(timer);
        timer = window.setTimeout(() => void app.load(), 300);
    };
    for (const id of [
        'edit-method',
        'edit-pattern',
        'edit-material',
        'edit-pieces',
        'edit-strength',
        'edit-events',
        'seed',
    ]) {
        element(id).addEventListener('input', later);
    }
    click('dice', () => {
        settings.writeSeed(Math.floor(Math.random() * 100000));
        void app.load();
    });
}

function bindView(app: App): void {
    const explode = element<HTMLInputElement>('explode');
    explode.addEventListener('input', () => {
        settings.showOutputs();
        app.playback.explode = Number(explode.value);
        app.touch();
    });
    const quality = element<HTMLSelectElement>('quality');
    quality.addEventListener('change', () => {
        app.stage?.setQuality(quality.value as Quality);
        app.touch();
    });
    element('overlays').addEventListener('change', () => app.sendOverlays());
    click('camera-home', () => goHome(app));
}

function goHome(app: App): void {
    app.stage?.goHome();
    app.touch();
}

function bindFiles(app: App): void {
    const chooser = element<HTMLInputElement>('file');
    chooser.addEventListener('change', () => {
        const file = chooser.files?.[0];
        if (file !== undefined) {
            void app.open(file);
        }
        chooser.value = '';
    });
    onDrop(
        (dragging) => (element('drop-here').hidden = !dragging),
        (file) => void app.open(file),
    );
    for (const what of ['glb', 'pieces', 'scene'] as ExportKind[]) {
        click(`get-${what}`, () => void app.get(what));
    }
    click('share', () => {
        const link = app.share();
        if (link === undefined) {
            say('A link cannot carry your own file. Save the scene instead, and send that.');
            return;
        }
        navigator.clipboard.writeText(link).then(
            () => say('Copied. The link has the scene, the seed and your changes.'),
            () => say(`Copy the address of this page: ${link}`),
        );
    });
}

// ---- panels ----

function fold(id: string, button: string, open: boolean): void {
    element(id).classList.toggle('folded', !open);
    element(`${id}-body`).hidden = !open;
    element(button).setAttribute('aria-expanded', String(open));
}

function isOpen(button: string): boolean {
    return element(button).getAttribute('aria-expanded') === 'true';
}

function bindFolding(app: App): void {
    const toggle = (id: string, button: string, other: [string, string]): void => {
        fold(id, button, !isOpen(button));
        // On a phone there is room for one of them.
        if (narrow.matches && isOpen(button)) {
            fold(...other, false);
        }
        margins(app);
    };
    click('fold', () => toggle('panel', 'fold', ['figures', 'figures-fold']));
    click('figures-fold', () => toggle('figures', 'figures-fold', ['panel', 'fold']));
    const arrange = (): void => {
        fold('panel', 'fold', !narrow.matches);
        fold('figures', 'figures-fold', !cramped.matches);
        margins(app);
    };
    narrow.addEventListener('change', arrange);
    cramped.addEventListener('change', arrange);
    arrange();
    click('help-button', () => element<HTMLDialogElement>('help').showModal());
}

function margins(app: App): void {
    const right = !narrow.matches && isOpen('fold') ? 292 : 0;
    app.stage?.setMargins(right, narrow.matches ? 110 : 6);
    app.touch();
}

// ---- keys ----

function bindKeys(app: App): void {
    const speed = element<HTMLSelectElement>('speed');
    const slow = (): void => {
        speed.value = speed.value === '1' ? '0.1' : '1';
        app.setSpeed(Number(speed.value));
    };
    const keys: Record<string, () => void> = {
        p: () => app.setPlaying(!app.playing),
        '.': () => app.step(),
        s: slow,
        r: () => app.reset(),
        t: () => setTool(app, 'throw'),
        g: () => setTool(app, 'grab'),
        b: () => setTool(app, 'break'),
        n: () => app.chooseNext(1),
        N: () => app.chooseNext(-1),
        c: () => element('fold').click(),
        f: () => element('figures-fold').click(),
        '0': () => goHome(app),
        '?': () => element<HTMLDialogElement>('help').showModal(),
    };
    document.addEventListener('keydown', (event) => {
        const typing =
            event.target instanceof HTMLElement &&
            event.target.closest('input[type="number"], select, dialog, [popover]') !== null;
        if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            keys[event.key]?.();
        }
    });
}

function bindWindow(app: App): void {
    new ResizeObserver(() => app.resized()).observe(element('stage'));
    document.addEventListener('visibilitychange', () => app.sendPlay());
    window.addEventListener('hashchange', () => {
        app.openLink();
        void app.load();
    });
}
