import { LICENSE_DEEDS, type LicenseDeed } from '@svc/core/ports'
import { ROUTES, type Route } from '@svc/http'
import { code, table } from './table.ts'

const INTRODUCTION = `# What a license key opens

Written from the gates of the routes (\`npm run generate\`); change those, not this page. [Security](../security.md#license-keys) says what to do
when a key is stolen.
`

const nameOf = ({ method, path }: Route): string => code(`${method} ${path}`)

/** Returns the page of routes that a license key opens, from their gates. */
export function licenseKeyPage(): string {
  const opened = ROUTES.filter(({ gate }) => gate.security.includes('licenseKey'))
  const deeds = (Object.keys(LICENSE_DEEDS) as LicenseDeed[]).map((deed) => {
    const facts = LICENSE_DEEDS[deed]
    const routes = opened.filter(({ gate }) => gate.deed === deed).map(nameOf)
    return [code(deed), facts.does, routes.join('<br>'), withoutKey(facts), facts.stays ?? 'Nothing']
  })
  const hosts = opened.filter(({ gate }) => gate.deed === undefined)
  return [
    INTRODUCTION,
    '## Closed when the license is `agent_only`\n',
    'The last column shows and ends what stays after the key is worth nothing.\n',
    `${table(['Word', 'A thief of the key can', 'Routes', 'Who does it instead', 'What outlives the key'], deeds)}\n`,
    '## Always open\n',
    'What the agent does, and reads. Minting is the only thing that `POST /api/v1/transfer/keys` closes: redeeming and revoking stay open.\n',
    `${table(
      ['Route', 'A thief of the key can'],
      hosts.map((route) => [nameOf(route), route.summary]),
    )}\n`,
  ].join('\n')
}

function withoutKey(facts: (typeof LICENSE_DEEDS)[LicenseDeed]): string {
  if (facts.least === undefined) return `Nobody by a token: ${facts.instead}`
  return facts.least === 'owner' ? 'A token of an owner' : 'A token of an owner or a developer'
}
