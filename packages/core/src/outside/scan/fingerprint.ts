import type { PinnedAnswer } from '../../platform/net/pinned-host.ts'
import { type Finding, shownText } from '../../watch/surface/surface-finding.ts'
import type { SeenSite } from '../../watch/surface/surface-scan.ts'
import { TECH_RULES, type TechPlace } from './tech-rules.ts'

type Answer = Extract<PinnedAnswer, { ok: true }>

const EXPECTED_HEADERS = [
  'strict-transport-security',
  'content-security-policy',
  'x-content-type-options',
] as const

const TITLE = /<title[^<>]{0,256}>([^<]{0,512})/i
/** Characters of a page that are searched for software: its marks stand at the beginning. */
const LOOKED_CHARS = 65_536
const META = /<meta[^<>]{0,512}>/gi
const GENERATOR = /name=["']?generator/i
const CONTENT = /content=["']([^"']{0,128})/i
const SCRIPT = /<script[^<>]{0,256}?\bsrc=["']?([^"'\s>]{1,512})/gi

/** Returns a page's hints about its server. `icon` is the digest of its icon, if it has one. */
export function seenSite(url: string, answer: Answer, icon?: number): SeenSite {
  const { status, headers } = answer
  const page = answer.body.toString('latin1', 0, LOOKED_CHARS)
  const server = headers.get('server')
  const title = TITLE.exec(answer.body.toString('utf8', 0, LOOKED_CHARS))?.[1]
  const location = headers.get('location')
  const isSecure = url.startsWith('https:')
  return {
    url,
    status,
    ...(server === null ? {} : { server: shownText(server, 128) }),
    ...(title === undefined ? {} : { title: shownText(title, 128) }),
    ...(location === null ? {} : { location: shownText(location, 512) }),
    tech: technologies(headers, page, icon),
    missing_headers: EXPECTED_HEADERS.filter(
      (name) => !headers.has(name) && (isSecure || name !== 'strict-transport-security'),
    ),
  }
}

function technologies(headers: Headers, page: string, icon: number | undefined): readonly string[] {
  const [generator = ''] = page.match(META)?.filter((tag) => GENERATOR.test(tag)) ?? []
  const texts: Readonly<Record<string, readonly string[]>> = {
    cookie: headers.getSetCookie().map((each) => each.split('=', 1)[0]?.trim() ?? ''),
    script: [...page.matchAll(SCRIPT)].map(([, src = '']) => src),
    generator: [CONTENT.exec(generator)?.[1] ?? ''],
    title: [TITLE.exec(page)?.[1]?.trim() ?? ''],
    favicon: [icon === undefined ? '' : String(icon)],
    body: [page],
  }
  const textsAt = (place: TechPlace): readonly string[] =>
    texts[place] ?? [headers.get(place.slice('header:'.length)) ?? '']
  const found = new Map<string, string>()
  for (const [tech, place, pattern] of TECH_RULES) {
    for (const text of textsAt(place)) {
      const match = text === '' ? null : pattern.exec(text)
      if (match === null) continue
      const version = match[1] ?? ''
      if (version !== '' || !found.has(tech)) found.set(tech, version)
    }
  }
  return [...found].map(([tech, version]) => (version === '' ? tech : `${tech} ${version}`))
}

const HEADER_FINDINGS: Readonly<Record<string, readonly [id: string, remediation: string]>> = {
  'strict-transport-security': ['missing-hsts', 'send Strict-Transport-Security'],
  'content-security-policy': ['missing-csp', 'send Content-Security-Policy'],
  'x-content-type-options': ['missing-nosniff', 'send X-Content-Type-Options: nosniff'],
}

/** Returns the findings about the headers of a page; an answer that is no page has none. */
export function headerFindings(host: string, site: SeenSite): Finding[] {
  if (site.status !== 200) return []
  return site.missing_headers.flatMap((name) => {
    const [id, remediation] = HEADER_FINDINGS[name] ?? []
    if (id === undefined || remediation === undefined) return []
    const place = { host, place: host, url: site.url }
    return [{ id, check: 'fingerprint', severity: 'info', ...place, evidence: `no ${name}`, remediation }]
  })
}
