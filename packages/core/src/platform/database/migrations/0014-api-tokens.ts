import type { MigrationStep } from './index.ts'

/** Tokens for programs that run operations. */
export const apiTokens: MigrationStep = {
  name: '0014-api-tokens',
  sql: [
    `create table api_tokens (
      id text primary key,
      digest text not null unique,
      label text not null,
      role text not null,
      tenant_id text references tenants (id),
      created_by text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      expires_at timestamptz,
      revoked_at timestamptz) with (fillfactor = 80)`,
  ],
}
