// The reference of the C API: a page for each public header, and an index of all names.

import { highlight } from './highlight.mjs';
import { splitTop } from './header.mjs';
import { escapeHtml, relativeUrl, shorten } from './text.mjs';

const codeHtml = (html) => `<pre tabindex="0"><code class="language-c">${html}</code></pre>\n`;
const groupHtml = (name, label, inner) =>
    `<div class="table ${name}" tabindex="0" role="group" aria-label="${label}"><table>\n${inner}</table></div>\n`;
const pageUrl = (header) => `api/${header.name.replace(/^rubble\//, '').replace(/\.h$/, '.html')}`;
const isSymbol = (item) => item.name !== undefined;
const KIND_NAMES = {
    function: 'function',
    macro: 'constant',
    callback: 'function type',
    opaque: 'type',
    struct: 'struct',
    enum: 'enum',
};

/** Where each name is explained: { url, kind, header, doc }. Values of enums are names as well. */
export function symbolTable(headers) {
    const table = new Map();
    for (const header of headers) {
        const url = pageUrl(header);
        for (const item of header.items.filter(isSymbol)) {
            table.set(item.name, {
                url: `${url}#${item.name}`,
                kind: item.kind,
                header: header.name,
                doc: item.doc,
            });
            for (const member of item.kind === 'enum' ? item.members : []) {
                for (const name of member.names ?? []) {
                    table.set(name, {
                        url: `${url}#${name}`,
                        kind: 'value',
                        header: header.name,
                        doc: member.doc,
                    });
                }
            }
        }
    }
    return table;
}

/** The address that a word leads to, for a reader of `from`. */
export const symbolLink = (symbols, from) => (word) => {
    const symbol = symbols.get(word.replace(/\(\)$/, ''));
    return symbol && relativeUrl(from, symbol.url);
};

/** The paragraphs of a comment as HTML: names, docs/x.md and rubble/x.h become links. */
export function commentHtml(text, linkOf) {
    const word =
        /`([^`]+)`|\b(?:docs\/[\w.-]+\.md|rubble\/\w+\.h)\b|\b(?:rbl_\w+(?:\(\))?|rbl[A-Z]\w*|RBL_\w+)/g;
    const code = (name) => {
        const address = linkOf(name);
        const html = `<code>${escapeHtml(name)}</code>`;
        return address ? `<a class="code" href="${escapeHtml(address)}">${html}</a>` : html;
    };
    const inline = (paragraph) => {
        let html = '';
        let at = 0;
        for (const match of paragraph.matchAll(word)) {
            html += escapeHtml(paragraph.slice(at, match.index)) + code(match[1] ?? match[0]);
            at = match.index + match[0].length;
        }
        return html + escapeHtml(paragraph.slice(at));
    };
    return text
        .split(/\n\s*\n/)
        .filter((part) => part.trim())
        .map(inline);
}

const paragraphs = (text, linkOf) =>
    commentHtml(text, linkOf)
        .map((html) => `<p>${html}</p>\n`)
        .join('');

/** A declaration on one line, or one parameter a line where it would be wide. */
export function layOut(code, width = 84) {
    const open = code.indexOf('(');
    if (code.length <= width || open < 0 || !code.endsWith(');')) {
        return code;
    }
    const parameters = splitTop(code.slice(open + 1, -2), ',').map((part) => `    ${part.trim()}`);
    return `${code.slice(0, open)}(\n${parameters.join(',\n')});`;
}

/** Fields that explain themselves need no table. */
function plainMembers(item, linkOf) {
    const fields = item.members.map((member) => `    ${member.code};\n`).join('');
    return codeHtml(highlight(`${item.code}\n{\n${fields}} ${item.name};`, 'c', linkOf));
}

function memberRow(item, member, linkOf) {
    if (member.note !== undefined) {
        return `<tr><td colspan="2" class="note">${escapeHtml(member.note)}</td></tr>\n`;
    }
    const id = item.kind === 'enum' ? ` id="${member.names[0]}"` : '';
    const doc = commentHtml(member.doc, linkOf).join('<br>');
    const typeLink = (word) => (member.names.includes(word) ? undefined : linkOf(word));
    return `<tr${id}><td><code>${highlight(member.code, 'c', typeLink)}</code></td><td>${doc}</td></tr>\n`;
}

function membersHtml(item, linkOf) {
    if (item.kind === 'struct' && item.members.every((member) => member.doc === '')) {
        return plainMembers(item, linkOf);
    }
    const [one, many] = item.kind === 'enum' ? ['Value', 'Values'] : ['Field', 'Fields'];
    const head = `<thead><tr><th scope="col">${one}</th><th scope="col">Meaning</th></tr></thead>\n`;
    const rows = item.members.map((member) => memberRow(item, member, linkOf)).join('');
    return groupHtml('members', `${many} of ${item.name}`, `${head}<tbody>\n${rows}</tbody>`);
}

function itemHtml(item, linkOf) {
    const own = (word) => (word === item.name ? undefined : linkOf(word));
    const kind = `<span class="kind">${KIND_NAMES[item.kind]}</span>`;
    const anchor = `<a class="anchor" href="#${item.name}" aria-hidden="true" tabindex="-1">#</a>`;
    const head = `<h3 id="${item.name}"><code>${item.name}</code> ${kind}${anchor}</h3>\n`;
    const code = item.members ? '' : codeHtml(highlight(layOut(item.code), 'c', own));
    const members = item.members ? membersHtml(item, own) : '';
    const inner = head + code + paragraphs(item.doc, own) + members;
    return `<section class="item" aria-labelledby="${item.name}">\n${inner}</section>\n`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The page of one header: { url, title, description, html, headings }. */
export function headerPage(header, linkFor) {
    const url = pageUrl(header);
    const linkOf = linkFor(url);
    const headings = [];
    const parts = header.items.map((item) => {
        if (item.kind === 'section') {
            const id = `section-${item.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
            headings.push({ depth: 2, id, html: escapeHtml(capital(item.title)), text: capital(item.title) });
            return `<h2 id="${id}">${escapeHtml(capital(item.title))}</h2>\n`;
        }
        if (item.kind === 'note') {
            return paragraphs(item.text, linkOf);
        }
        headings.push({ depth: 3, id: item.name, html: `<code>${item.name}</code>`, text: item.name });
        return itemHtml(item, linkOf);
    });
    // Headings go down one level at a time: what comes before the first section gets one of its own.
    const first = header.items.find(({ kind }) => kind !== 'note');
    const needsTop = first !== undefined && first.kind !== 'section';
    const include = highlight(`#include "${header.name}"`, 'c');
    const html =
        `<h1><code>${header.name}</code></h1>\n${paragraphs(header.about, linkOf)}` +
        `<pre tabindex="0"><code class="language-c">${include}</code></pre>\n` +
        `${needsTop ? '<h2 id="declarations">Declarations</h2>\n' : ''}${parts.join('')}`;
    if (needsTop) {
        headings.unshift({ depth: 2, id: 'declarations', html: 'Declarations', text: 'Declarations' });
    }
    return { url, title: header.name, description: shorten(header.about, 160), html, headings };
}

function headerRow(header, linkOf) {
    const count = header.items.filter(isSymbol).length;
    const names = count ? `${count} ${count === 1 ? 'name' : 'names'}` : '';
    const link = `<a href="${relativeUrl('api/index.html', pageUrl(header))}"><code>${header.name}</code></a>`;
    const about = commentHtml(header.about, linkOf)[0] ?? '';
    return `<tr><td>${link}</td><td>${about}</td><td class="count">${names}</td></tr>\n`;
}

function headerList(headers, linkOf) {
    const head = '<thead><tr><th scope="col">Header</th><th scope="col">About</th><td></td></tr></thead>\n';
    const rows = headers.map((header) => headerRow(header, linkOf)).join('');
    return groupHtml('headers', 'Headers', `${head}<tbody>\n${rows}</tbody>`);
}

/** All names in alphabetical order; the script of the page filters them. */
function nameList(symbols, url) {
    const names = [...symbols].filter(([, { kind }]) => kind !== 'value');
    names.sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const lines = names.map(([name, { url: target, kind, doc }]) => {
        const link = `<a href="${relativeUrl(url, target)}"><code>${name}</code></a>`;
        const summary = escapeHtml(shorten(doc.replace(/`/g, ''), 120));
        const about = `<span class="kind">${KIND_NAMES[kind]}</span><span class="summary">${summary}</span>`;
        return `<li>${link} ${about}</li>\n`;
    });
    const field =
        '<input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="rbl_body" ' +
        'aria-describedby="filter-count">';
    const count = `<span id="filter-count" role="status">${names.length} names</span>`;
    const form = `<p class="filter" hidden><label for="filter">Filter by name</label> ${field} ${count}</p>\n`;
    return `${form}<ul class="names">\n${lines.join('')}</ul>\n`;
}

export function indexPage(headers, symbols, linkFor) {
    const url = 'api/index.html';
    const html =
        '<h1>C API</h1>\n' +
        '<p>Every public call, type and constant, from the comments in <code>include/rubble</code>. ' +
        'Include <code>rubble/rubble.h</code> for all of it, or one header for a part.</p>\n' +
        `<h2 id="headers">Headers</h2>\n${headerList(headers, linkFor(url))}` +
        `<h2 id="names">All names</h2>\n${nameList(symbols, url)}`;
    const description = 'Every public call, type and constant of Rubble.';
    return { url, title: 'C API', description, html, headings: [] };
}
