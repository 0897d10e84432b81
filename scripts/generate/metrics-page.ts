import { createApp } from '@svc/http'
import { testPlane } from '@svc/testing'
import { code, table } from './table.ts'

interface Family {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly labelNames?: readonly string[]
}

const INTRODUCTION = `# Metrics

Written from the registry of a control plane (\`npm run generate\`); change the code, not this page. \`GET /metrics\` answers
in the Prometheus text format 0.0.4. No label holds an id, a host, a key or a path that a client sent, and every series
exists at zero from the start, but for durations of requests. Figures that are read from the database are at most 15 seconds old. Behind these families
come those of the process (\`process_*\` and \`nodejs_*\`).
`

/** Returns the page of all metrics of a served plane, with their labels. */
export async function metricsPage(): Promise<string> {
  await using test = testPlane()
  createApp(test.plane)
  const families = test.plane.metrics.registry.getMetricsAsArray() as unknown as readonly Family[]
  const rows = [...families]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, help, type, labelNames = [] }) => [
      code(name),
      String(type),
      labelNames.map(code).join(', '),
      help,
    ])
  return `${INTRODUCTION}\n${table(['Family', 'Type', 'Labels', 'What it counts'], rows)}\n`
}
