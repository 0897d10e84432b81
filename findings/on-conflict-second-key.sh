#!/usr/bin/env bash
# PostgreSQL 18.3 (PGlite 0.5.8): `on conflict (…) do nothing` also passes over a primary key that is taken.
#
# The clause names one unique index, and one would expect that a duplicate of any other index is an error, since the
# clause does not mention it. It is one (23505) only while the named index has no conflict: that index is looked at
# first, and what conflicts there is dropped before the primary key is looked at. So the same statement with the same
# taken key answers "no row" or fails, depending on another column; "no row" does not mean that the key was free. With
# `do update` the other row is changed, whatever row has the key. A fake that checks the key first fails where the
# database does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund @electric-sql/pglite@0.5.8 node@24.21.0 >>npm.log 2>&1
PATH=$folder/node_modules/.bin:$PATH
node --version
cat >look.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'

const pg = await PGlite.create()
console.log((await pg.query('show server_version')).rows[0].server_version)
await pg.exec(`create table seats (id text primary key, person text, state text);
  create unique index one_open on seats (person) where state = 'open'`)
const insert = async (id, person, then) => {
  const text = `insert into seats values ($1, $2, 'open') on conflict (person) where state = 'open' do ${then} returning id`
  return pg.query(text, [id, person]).then(
    ({ rows }) => JSON.stringify(rows),
    ({ code, constraint }) => `${code} ${constraint}`,
  )
}
console.log('first', await insert('a', 'ann', 'nothing'))
console.log('the key is taken, and so is the person', await insert('a', 'ann', 'nothing'))
console.log('the key is taken, the person is not', await insert('a', 'bob', 'nothing'))
console.log('another row of bob', await insert('b', 'bob', 'nothing'))
console.log("ann's key, bob's row", await insert('a', 'bob', "update set state = 'open'"))
await pg.close()
JS
node look.mjs | tee seen
diff seen - <<'SEEN'
18.3
first [{"id":"a"}]
the key is taken, and so is the person []
the key is taken, the person is not 23505 seats_pkey
another row of bob [{"id":"b"}]
ann's key, bob's row [{"id":"b"}]
SEEN
