/** The source that the agent's own handlers deploy: a commit of a repository, by its full id. */
const SOURCE = {
  type: 'git',
  repo_url: 'https://git.example/shop.git',
  sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
}

/** An example payload for each kind of job, for the help of `svc jobs enqueue`. */
export const KIND_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  deploy: { app: 'shop', source: SOURCE },
  redeploy: { app: 'shop', source: SOURCE },
  stop: { app: 'shop' },
  remove: { app: 'shop' },
  db: { op: 'create', engine: 'postgresql', name: 'shop' },
  restore: { checksum: '…', target: '/srv/shop' },
  firewall: { revision: 1, settings: {} },
  prune: { older_than_seconds: 86_400 },
  expose: { app: 'shop', domain: 'shop.example', port: 8080 },
  unexpose: { app: 'shop', domain: 'shop.example' },
  backup: { app: 'shop' },
}

/** The kinds and their payloads as lines of a help text. */
export function kindsText(): string {
  const kinds = Object.entries(KIND_EXAMPLES)
  const room = Math.max(...kinds.map(([kind]) => kind.length))
  const lines = kinds.map(([kind, payload]) => `  ${kind.padEnd(room)}  ${JSON.stringify(payload)}`)
  return `\nKinds, each with a payload. A host gets jobs of the kinds that it has handlers for:\n${lines.join('\n')}`
}
