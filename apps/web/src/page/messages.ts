// Short messages at the top; a bad one stays until it is closed.
export interface Action {
    text: string;
    run: () => void;
}

const shown = new Map<string, HTMLElement>();

/** The same text twice is one message. */
export function say(text: string, options: { bad?: boolean; action?: Action; key?: string } = {}): void {
    const key = options.key ?? text;
    unsay(key);
    const box = document.createElement('div');
    box.className = options.bad === true ? 'message bad' : 'message';
    const words = document.createElement('p');
    words.textContent = text;
    box.append(words);
    if (options.action !== undefined) {
        const { run } = options.action;
        box.append(
            button(options.action.text, '', () => {
                unsay(key);
                run();
            }),
        );
    }
    const close = button('\u00d7', 'close', () => unsay(key));
    close.setAttribute('aria-label', 'Close this message');
    box.append(close);
    shown.set(key, box);
    document.getElementById('messages')!.append(box);
    if (options.bad !== true && options.action === undefined) {
        setTimeout(() => shown.get(key) === box && unsay(key), 7000);
    }
}

export function unsay(key: string): void {
    shown.get(key)?.remove();
    shown.delete(key);
}

function button(text: string, kind: string, run: () => void): HTMLButtonElement {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.className = kind;
    made.addEventListener('click', run);
    return made;
}
