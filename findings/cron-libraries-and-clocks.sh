#!/usr/bin/env bash
# croner 11.0.1, cron-parser 5.10.6 and cron 4.4.0: one schedule, three answers in the nights when clocks change.
#
# All three take a time zone, and one would expect one answer for an expression that all of them take, or at least one
# rule a library. In Berlin 02:30 does not exist on 29 March 2026, and comes twice on 25 October.
# A fixed time that does not exist moves to 03:00 in croner and cron, and to 03:30 in cron-parser; a stepped one (`*/30 2`) is
# left out by croner, runs once in cron and twice in cron-parser. Of times that come twice a fixed one is taken once by all;
# croner takes the stepped one twice, cron takes a range of hours (`30 1-3`) twice and the stepped one once. So neither a
# change of the library nor that of `30 2` into `*/30 2` keeps a nightly job's times. (svc narrows croner: times that do not
# exist are left out, and of those that come twice the first is taken, but for schedules of every hour.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund croner@11.0.1 cron-parser@5.10.6 cron@4.4.0 node@24.21.0 >>npm.log 2>&1
PATH=$folder/node_modules/.bin:$PATH
node --version
cat >look.mjs <<'JS'
import { CronTime } from 'cron'
import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'

const zone = 'Europe/Berlin'
const next = {
  croner: (text, from, count) => new Cron(text, { timezone: zone, paused: true }).nextRuns(count, from),
  'cron-parser': (text, from, count) => {
    const times = CronExpressionParser.parse(text, { tz: zone, currentDate: from })
    return Array.from({ length: count }, () => times.next().toDate())
  },
  cron: (text, from, count) => {
    const time = new CronTime(text, zone)
    const found = []
    for (let at = from; found.length < count; found.push(at)) at = time.getNextDateFrom(at, zone).toJSDate()
    return found
  },
}
const spring = new Date('2026-03-28T12:00:00Z')
const autumn = new Date('2026-10-24T22:00:00Z')
for (const [text, from, count] of [
  ['30 2 * * *', spring, 2],
  ['*/30 2 * * *', spring, 3],
  ['30 2 * * *', autumn, 2],
  ['*/30 2 * * *', autumn, 4],
  ['30 1-3 * * *', autumn, 4],
])
  for (const [name, of] of Object.entries(next))
    console.log(text, name, of(text, from, count).map((at) => at.toISOString().slice(5, 16)).join(' '))
JS
node look.mjs | tee seen
diff seen - <<'SEEN'
30 2 * * * croner 03-29T01:00 03-30T00:30
30 2 * * * cron-parser 03-29T01:30 03-30T00:30
30 2 * * * cron 03-29T01:00 03-30T00:30
*/30 2 * * * croner 03-30T00:00 03-30T00:30 03-31T00:00
*/30 2 * * * cron-parser 03-29T01:00 03-29T01:30 03-30T00:00
*/30 2 * * * cron 03-29T01:00 03-30T00:00 03-30T00:30
30 2 * * * croner 10-25T00:30 10-26T01:30
30 2 * * * cron-parser 10-25T00:30 10-26T01:30
30 2 * * * cron 10-25T00:30 10-26T01:30
*/30 2 * * * croner 10-25T00:00 10-25T00:30 10-25T01:00 10-25T01:30
*/30 2 * * * cron-parser 10-25T00:00 10-25T00:30 10-26T01:00 10-26T01:30
*/30 2 * * * cron 10-25T00:00 10-25T00:30 10-26T01:00 10-26T01:30
30 1-3 * * * croner 10-24T23:30 10-25T00:30 10-25T01:30 10-25T02:30
30 1-3 * * * cron-parser 10-24T23:30 10-25T00:30 10-25T02:30 10-26T00:30
30 1-3 * * * cron 10-24T23:30 10-25T00:30 10-25T01:30 10-25T02:30
SEEN
