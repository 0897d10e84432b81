/**
 * The script that takes a page apart, as text: a bundler would put helpers into a function that the page does
 * not have. It returns JSON of `Extract`. Trees are walked without recursion, since a page can be any depth.
 */
export const EXTRACTION = String.raw`(options, { Readability, TurndownService }) => {
  const MAX_LINKS = 1000, MAX_TEXT = 200, MAX_META = 2000, MAX_NODES = 100000, MAX_DEPTH = 400
  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'IFRAME', 'OBJECT', 'EMBED'])
  let truncated = false
  const cut = (text, most = options.maxChars) => {
    if (text.length <= most) return text
    if (most === options.maxChars) truncated = true
    return text.slice(0, most)
  }
  const safe = (url) => /^(?:https?:|mailto:)/i.test(url)
  const tidy = (text) => text.replace(/[\t\u00a0 ]+/g, ' ').replace(/ ?\n ?/g, '\n').replace(/\n{3,}/g, '\n\n').trim()
  const childrenOf = (node) => {
    if (node instanceof Element && node.shadowRoot) return node.shadowRoot.childNodes
    if (node instanceof HTMLSlotElement) {
      const given = node.assignedNodes({ flatten: true })
      if (given.length > 0) return given
    }
    return node.childNodes
  }
  const copied = (element, made) => {
    for (const name of ['alt', 'title', 'colspan', 'rowspan', 'class', 'id', 'role', 'lang', 'start'])
      if (element.hasAttribute(name)) made.setAttribute(name, element.getAttribute(name))
    if (element instanceof HTMLAnchorElement && safe(element.href)) made.setAttribute('href', element.href)
    if (element instanceof HTMLImageElement && safe(element.currentSrc || element.src))
      made.setAttribute('src', element.currentSrc || element.src)
  }
  // The shown part of the page, with the content of shadow roots in its place, in a document without scripts.
  const shownCopy = () => {
    const copy = document.implementation.createHTMLDocument(document.title)
    copy.documentElement.lang = document.documentElement.lang
    const base = copy.createElement('base')
    base.href = location.href
    copy.head.append(base)
    const left = [[document.body, copy.body, 0]]
    let nodes = 0
    while (left.length > 0) {
      const [from, to, depth] = left.pop()
      for (const child of childrenOf(from)) {
        nodes += 1
        if (nodes > MAX_NODES) { truncated = true; return copy }
        if (child.nodeType === Node.TEXT_NODE) to.append(copy.createTextNode(child.data))
        if (!(child instanceof Element) || SKIPPED.has(child.tagName)) continue
        if (!child.checkVisibility({ contentVisibilityAuto: false })) {
          if (getComputedStyle(child).display !== 'contents') continue
        }
        const isKnown = child instanceof HTMLElement && !(child instanceof HTMLUnknownElement)
        const isCustom = child.tagName.includes('-') || child.tagName === 'SLOT'
        const made = copy.createElement(isKnown && !isCustom ? child.tagName : child.tagName === 'SLOT' ? 'span' : 'div')
        copied(child, made)
        to.append(made)
        // Deeper trees are cut flat, as the parser of HTML does: browsers go down them in calls.
        left.push([child, depth < MAX_DEPTH ? made : to, depth + 1])
      }
    }
    return copy
  }
  const BLOCK = /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|DD|DIV|DL|DT|FIGURE|FIGCAPTION|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|TABLE|TR|UL)$/
  const textOf = (root) => {
    const parts = []
    const left = [root]
    while (left.length > 0) {
      const node = left.pop()
      if (typeof node === 'string') parts.push(node)
      else if (node.nodeType === Node.TEXT_NODE) parts.push(node.data.replace(/\s+/g, ' '))
      else {
        const isBlock = BLOCK.test(node.nodeName)
        if (isBlock) left.push('\n')
        for (const child of [...node.childNodes].reverse()) left.push(child)
        if (isBlock) left.push('\n')
        else if (/^T[DH]$/.test(node.nodeName)) left.push(' ')
      }
    }
    return parts.join('')
  }
  const attempt = (work) => { try { return work() } catch { return undefined } }
  const found = { url: location.href, title: cut(document.title, MAX_META) }
  const body = document.body
  if (options.texts.length > 0) {
    const wantsCopy = body && !options.isPlain && (options.onlyMain || options.texts.some((format) => format !== 'html'))
    const copy = wantsCopy ? attempt(shownCopy) : undefined
    const article = options.onlyMain && copy ? attempt(() => new Readability(copy.cloneNode(true), { charThreshold: 200, maxElemsToParse: 20000 }).parse()) : undefined
    const root = attempt(() => {
      if (!article?.content) return copy?.body
      const parsed = new DOMParser().parseFromString(article.content, 'text/html')
      return parsed.body
    })
    const plain = () => tidy(root ? textOf(root) : (options.isPlain ? body?.textContent : body?.innerText) ?? '')
    for (const format of options.texts) {
      if (format === 'text') found.text = cut(plain())
      if (format === 'markdown')
        found.markdown = cut((root && attempt(() => new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' }).turndown(root))) ?? plain())
      if (format === 'html')
        found.html = cut(article?.content ?? (options.isPlain ? '' : document.documentElement?.outerHTML) ?? '')
    }
    if (options.isPlain) truncated = true
  }
  if (options.links) {
    const anchors = document.querySelectorAll('a[href]')
    found.links = []
    for (const anchor of anchors) {
      if (found.links.length === MAX_LINKS) { truncated = true; break }
      if (anchor instanceof HTMLAnchorElement && safe(anchor.href))
        found.links.push({ href: cut(anchor.href, MAX_META), text: cut(tidy(anchor.textContent ?? ''), MAX_TEXT) })
    }
  }
  if (options.metadata) {
    const meta = (name) => document.querySelector('meta[name="' + name + '" i]')?.getAttribute('content')
    const canonical = document.querySelector('link[rel="canonical" i]')?.href
    const og = Object.create(null)
    for (const each of document.querySelectorAll('meta[property^="og:"]')) {
      const name = each.getAttribute('property').slice(3)
      if (/^[a-z:_]{1,64}$/.test(name) && Object.keys(og).length < 50 && !(name in og)) og[name] = cut(each.getAttribute('content') ?? '', MAX_META)
    }
    const description = meta('description'), lang = document.documentElement?.lang
    found.metadata = {
      ...(description && { description: cut(description, MAX_META) }),
      ...(lang && { lang: cut(lang, 64) }),
      ...(canonical && safe(canonical) && { canonical: cut(canonical, MAX_META) }),
      og: { ...og },
    }
  }
  return JSON.stringify({ ...found, truncated })
}`
