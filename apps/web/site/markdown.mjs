// Markdown to the HTML of one page: headings with places to link to, tables that scroll, coloured code, and
// names in code that lead to the reference. HTML in the source is text: the docs have none.

import { Marked } from 'marked';
import { highlight, languageOf } from './highlight.mjs';
import { escapeHtml, plainText, shorten, Slugs } from './text.mjs';

function headingHtml(depth, id, inner) {
    const anchor = `<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
    return `<h${depth} id="${id}">${inner}${depth > 1 ? anchor : ''}</h${depth}>\n`;
}

/** A block of code; it can be reached by keyboard, since it may be wider than the page. */
export function codeBlock(code, language, link) {
    const name = language ? ` class="language-${language}"` : '';
    return `<pre tabindex="0"><code${name}>${highlight(code, language, link)}</code></pre>\n`;
}

function tableHtml(head, rows) {
    const cell = (tag, html) => `<${tag}>${html}</${tag}>`;
    // A column without a name has no header: an empty one would be read aloud as nothing.
    const header = head.map((html) => (html ? `<th scope="col">${html}</th>` : '<td></td>')).join('');
    const body = rows.map((row) => `<tr>${row.map((html) => cell('td', html)).join('')}</tr>`).join('\n');
    const top = head.some(Boolean) ? `<thead><tr>${header}</tr></thead>\n` : '';
    return (
        `<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n${top}<tbody>\n${body}\n` +
        '</tbody></table></div>\n'
    );
}

/**
 * Render a page.
 *   resolve(href)   the address of a link or image of this page
 *   linkOf(code)    the address that a piece of inline code leads to, or undefined
 *   sizeOf(href)    { width, height } of an image, or undefined
 * Returns { html, title, description, headings: [{ depth, id, text, html }] }.
 */
export function renderMarkdown(
    source,
    { resolve = (href) => href, linkOf = () => undefined, sizeOf = () => undefined } = {},
) {
    const slugs = new Slugs();
    const headings = [];
    let description = '';
    let linkDepth = 0;
    const linkPath = (path) => (linkOf(path) ? `<a href="${escapeHtml(linkOf(path))}">${path}</a>` : path);

    const renderer = {
        heading({ tokens, depth }) {
            const inner = this.parser.parseInline(tokens);
            const text = plainText(inner);
            const id = slugs.next(text);
            headings.push({ depth, id, text, html: inner.replace(/<\/?a\b[^>]*>/g, '') });
            return headingHtml(depth, id, inner);
        },
        paragraph({ tokens }) {
            const inner = this.parser.parseInline(tokens);
            description ||= shorten(plainText(inner), 160);
            return `<p>${inner}</p>\n`;
        },
        code({ text, lang }) {
            return codeBlock(text, languageOf(lang, text), linkOf);
        },
        codespan({ text }) {
            const code = `<code>${escapeHtml(text)}</code>`;
            const address = linkDepth ? undefined : linkOf(text);
            return address ? `<a class="code" href="${escapeHtml(address)}">${code}</a>` : code;
        },
        text(token) {
            if (token.tokens) {
                return this.parser.parseInline(token.tokens);
            }
            const html = token.escaped ? token.text : escapeHtml(token.text);
            return linkDepth ? html : html.replace(/\bdocs\/[\w-]+\.md\b/g, linkPath);
        },
        link({ href, title, tokens }) {
            ++linkDepth;
            const inner = this.parser.parseInline(tokens);
            --linkDepth;
            const hint = title ? ` title="${escapeHtml(title)}"` : '';
            return `<a href="${escapeHtml(resolve(href))}"${hint}>${inner}</a>`;
        },
        image({ href, text }) {
            const size = sizeOf(href);
            const attributes = size ? ` width="${size.width}" height="${size.height}"` : '';
            return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(text)}"${attributes} loading="lazy">`;
        },
        table({ header, rows }) {
            const inline = (cell) => this.parser.parseInline(cell.tokens);
            return tableHtml(
                header.map(inline),
                rows.map((row) => row.map(inline)),
            );
        },
        html({ text }) {
            return text.trim().startsWith('<!--') ? '' : escapeHtml(text);
        },
    };
    const html = new Marked({ renderer }).parse(source);
    return { html, title: headings.find(({ depth }) => depth === 1)?.text ?? '', description, headings };
}
