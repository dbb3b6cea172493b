// What pages do beyond being read: search, the menu of narrow screens, copying code, filtering names, and the
// playground on the front page. Everything is there without it, too.
(() => {
    'use strict';

    document.documentElement.classList.add('scripted');

    // ---- menu ----

    const menu = document.querySelector('.menu');
    menu.hidden = false;
    menu.addEventListener('click', () => {
        const open = document.body.classList.toggle('menu-open');
        menu.setAttribute('aria-expanded', String(open));
    });

    // The page that is read is in sight in a list that is longer than the window.
    const navigation = document.getElementById('navigation');
    const current = navigation.querySelector('[aria-current]');
    if (current && navigation.scrollHeight > navigation.clientHeight) {
        navigation.scrollTop = current.offsetTop - navigation.offsetTop - navigation.clientHeight / 3;
    }

    // ---- search ----

    const form = document.querySelector('.search');
    const field = document.getElementById('search');
    const results = document.getElementById('search-results');
    const MOST_RESULTS = 12;
    let loading = false;
    let chosen = -1;

    function loadIndex() {
        if (loading) {
            return;
        }
        loading = true;
        const script = document.createElement('script');
        script.src = `${form.dataset.root}assets/search-index.js`;
        script.addEventListener('load', showResults);
        document.head.append(script);
    }

    // Smaller is better: the whole name, its beginning, the beginning of a word in it, anywhere in it.
    function rank(title, words) {
        const text = title.toLowerCase();
        let sum = 0;
        for (const word of words) {
            const at = text.indexOf(word);
            if (at < 0) {
                return Infinity;
            }
            const starts = at === 0 || /[^a-z0-9]/.test(text[at - 1]);
            sum += text === word ? 0 : at === 0 ? 1 : starts ? 2 : 4;
        }
        return sum + text.length / 1000;
    }

    function find(query) {
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        if (!words.length || !window.rubbleSearch) {
            return [];
        }
        return window.rubbleSearch
            .map((entry, order) => ({ entry, order, rank: rank(entry[0], words) }))
            .filter((match) => match.rank < Infinity)
            .sort((a, b) => a.rank - b.rank || a.order - b.order)
            .slice(0, MOST_RESULTS);
    }

    function resultLine([title, where, url], index) {
        const line = document.createElement('li');
        line.id = `search-result-${index}`;
        line.setAttribute('role', 'option');
        line.setAttribute('aria-selected', 'false');
        const link = document.createElement('a');
        link.href = form.dataset.root + url;
        link.tabIndex = -1;
        const small = document.createElement('small');
        small.textContent = where;
        link.append(title, small);
        line.append(link);
        return line;
    }

    function noResult() {
        const line = document.createElement('li');
        line.className = 'none';
        line.setAttribute('role', 'option');
        line.setAttribute('aria-disabled', 'true');
        line.textContent = 'Nothing of that name';
        return line;
    }

    function choose(index) {
        const lines = [...results.querySelectorAll('[role=option]:not(.none)')];
        chosen = lines.length ? (index + lines.length) % lines.length : -1;
        lines.forEach((line, place) => line.setAttribute('aria-selected', String(place === chosen)));
        if (chosen >= 0) {
            field.setAttribute('aria-activedescendant', lines[chosen].id);
            lines[chosen].scrollIntoView({ block: 'nearest' });
        } else {
            field.removeAttribute('aria-activedescendant');
        }
    }

    function hideResults() {
        results.hidden = true;
        field.setAttribute('aria-expanded', 'false');
        field.removeAttribute('aria-activedescendant');
    }

    function showResults() {
        const query = field.value.trim();
        if (!query || !window.rubbleSearch) {
            hideResults();
            return;
        }
        const lines = find(query).map(({ entry }, index) => resultLine(entry, index));
        results.replaceChildren(...(lines.length ? lines : [noResult()]));
        results.hidden = false;
        field.setAttribute('aria-expanded', 'true');
        choose(0);
    }

    form.hidden = false;
    field.addEventListener('focus', loadIndex);
    field.addEventListener('input', () => {
        loadIndex();
        showResults();
    });
    field.addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
        } else if (event.key === 'Escape') {
            hideResults();
        }
    });
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        const link = results.querySelector('[aria-selected=true] a');
        if (link && !results.hidden) {
            hideResults();
            location.href = link.href;
        }
    });
    document.addEventListener('click', (event) => {
        if (!form.contains(event.target)) {
            hideResults();
        }
    });
    document.addEventListener('keydown', (event) => {
        const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
        if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            field.focus();
        }
    });

    // ---- code ----

    function addCopyButton(block) {
        const frame = document.createElement('div');
        frame.className = 'block';
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'copy';
        button.textContent = 'Copy';
        button.addEventListener('click', async () => {
            await navigator.clipboard.writeText(block.textContent);
            button.textContent = 'Copied';
            setTimeout(() => (button.textContent = 'Copy'), 1500);
        });
        block.replaceWith(frame);
        frame.append(block, button);
    }

    if (navigator.clipboard) {
        document.querySelectorAll('article pre').forEach(addCopyButton);
    }

    // ---- names of the API ----

    const filter = document.getElementById('filter');
    if (filter) {
        const lines = [...document.querySelectorAll('.names li')];
        const count = document.getElementById('filter-count');
        filter.parentElement.hidden = false;
        filter.addEventListener('input', () => {
            const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
            let shown = 0;
            for (const line of lines) {
                const name = line.querySelector('code').textContent.toLowerCase();
                line.hidden = !words.every((word) => name.includes(word));
                shown += line.hidden ? 0 : 1;
            }
            count.textContent = shown === 1 ? '1 name' : `${shown} names`;
        });
    }

    // ---- the playground on the front page ----

    // In place on a click; by itself where there is room and the reader minds neither motion nor bytes.
    const stage = document.querySelector('.stage');
    if (stage) {
        // The wheel turns the camera over there; a page that is being scrolled must not be caught by it.
        const letPageScroll = () => {
            let timer = 0;
            addEventListener('scroll', () => {
                stage.classList.add('scrolling');
                clearTimeout(timer);
                timer = setTimeout(() => stage.classList.remove('scrolling'), 300);
            });
        };
        const start = () => {
            const frame = document.createElement('iframe');
            frame.src = stage.dataset.src;
            frame.title = 'Playground: throw balls at plates';
            frame.allow = 'fullscreen';
            stage.replaceChildren(frame);
            letPageScroll();
        };
        stage.querySelector('a').addEventListener('click', (event) => {
            if (
                !event.ctrlKey &&
                !event.metaKey &&
                !event.shiftKey &&
                matchMedia('(min-width: 48rem)').matches
            ) {
                event.preventDefault();
                start();
            }
        });
        const eager = matchMedia('(min-width: 64rem) and (prefers-reduced-motion: no-preference)').matches;
        if (eager && !navigator.connection?.saveData) {
            addEventListener('load', () => setTimeout(start, 300));
        }
    }
})();
