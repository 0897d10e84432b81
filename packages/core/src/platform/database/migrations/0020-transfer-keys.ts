import type { MigrationStep } from './index.ts'

/** Keys for hosts to get data from each other, and the sessions that they opened. */
export const transferKeys: MigrationStep = {
  name: '0020-transfer-keys',
  sql: [
    `create table transfer_keys (
      id text primary key,
      license_id text not null,
      key_sha256 text not null unique,
      source_fp text not null,
      target_fp text not null,
      mode text not null check (mode in ('pull', 'drop')),
      max_uses integer not null check (max_uses between 1 and 8),
      uses integer not null default 0 check (uses <= max_uses),
      pin_kind text not null check (pin_kind in ('none', 'spki', 'secret')),
      pin_spki text,
      pin_hash text,
      pin_fails integer not null default 0 check (pin_fails between 0 and 5),
      scope jsonb,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz)`,
    'create index transfer_keys_license_id on transfer_keys (license_id, expires_at)',
    `create table transfer_uses (
      transfer_id text primary key,
      key_id text not null references transfer_keys (id) on delete cascade,
      at timestamptz not null,
      caller_fp text not null,
      peer_fp text not null)`,
    'create index transfer_uses_key_id on transfer_uses (key_id)',
  ],
}
