// Small helpers for text, HTML and the addresses of pages.

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

/** What is read of a piece of our own HTML: no tags, entities as characters. */
export function plainText(html) {
    const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    return html.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name]);
}

/** The first sentences of a text that fit, for lists and descriptions. */
export function shorten(text, most) {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line.length <= most) {
        return line;
    }
    const cut = line.slice(0, most);
    const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf(': '));
    return end > most / 3
        ? cut.slice(0, end + 1).replace(/:$/, '.')
        : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}

/** Names for the places of headings: those of code hosts, so that links work there, too. */
export class Slugs {
    constructor() {
        this.used = new Map();
    }

    next(text) {
        const slug = text
            .toLowerCase()
            .trim()
            .replace(/[^\p{L}\p{N}\s_-]/gu, '')
            .replace(/\s/g, '-');
        const count = this.used.get(slug) ?? 0;
        this.used.set(slug, count + 1);
        return count ? `${slug}-${count}` : slug;
    }
}

/** The address of `to` as seen from the page `from`; both from the root of the site. */
export function relativeUrl(from, to) {
    const [path, fragment] = to.split('#');
    const start = from.split('/').slice(0, -1);
    const goal = path.split('/');
    while (start.length && goal.length > 1 && start[0] === goal[0]) {
        start.shift();
        goal.shift();
    }
    const relative = '../'.repeat(start.length) + goal.join('/') || './';
    const address = path === from && fragment !== undefined ? '' : relative;
    return fragment === undefined ? address : `${address}#${fragment}`;
}
