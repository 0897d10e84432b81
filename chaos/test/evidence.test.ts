import { expect, test } from '@jest/globals'
import { lackOf } from '../src/chaos.ts'

const FULL = { reclaims: 2, acknowledgedLines: 90, messages: 3 }

test.each([
  ['in one run of two', [{ ...FULL, reclaims: 0 }, FULL], undefined],
  ['jobs', [{ ...FULL, reclaims: 0 }], 'no job was lost: the runs show nothing'],
  ['lines', [{ ...FULL, acknowledgedLines: 0 }], 'no line was acknowledged: the runs show nothing'],
  [
    'messages',
    [FULL, FULL].map((each) => ({ ...each, messages: 0 })),
    'no message arrived: the runs show nothing',
  ],
  ['any run', [], 'no job was lost: the runs show nothing'],
])('Without %s the runs show what they say', (_, reports, lack) => {
  expect(lackOf(reports)).toBe(lack)
})
