import { FIGURES, FINE, SLOT_BYTES, type UsageFigures, type UsageRow, writeValue } from '@svc/core/ports'

/**
 * Returns a row of an hour, each of whose slots has the same `means` in percent, over `count` heartbeats,
 * unless `fields` say something else.
 */
export function buildUsage(
  {
    means = { cpuPct: 10, memPct: 20, diskPct: 30 },
    count = 5,
  }: { means?: UsageFigures; count?: number } = {},
  fields: Partial<UsageRow> = {},
): UsageRow {
  const figures = Buffer.alloc(FINE.slots * SLOT_BYTES)
  for (let slot = 0; slot < FINE.slots; slot += 1) {
    for (const [index, figure] of FIGURES.entries()) {
      const mean = means[figure]
      const given = mean === undefined ? 0 : count
      writeValue(figures, slot * FIGURES.length + index, (mean ?? 0) * 10 * given, given)
    }
  }
  return {
    licenseId: 'lic_test',
    fingerprint: 'fp-test',
    startsAt: new Date('2026-01-05T10:00:00Z'),
    slotSeconds: FINE.slotSeconds,
    share: 1,
    figures,
    ...fields,
  }
}
