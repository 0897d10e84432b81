/** An example payload for each kind of job, for the help of `svc jobs enqueue`. */
export const KIND_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  deploy: { app: 'shop', source: { type: 'image', image: 'shop:1.2' } },
  redeploy: { app: 'shop', source: { type: 'image', image: 'shop:1.2' } },
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
