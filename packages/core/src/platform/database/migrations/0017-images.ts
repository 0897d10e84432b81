import type { MigrationStep } from './index.ts'

/** The ledger of captured images. A host that is forgotten keeps its images: it is restored from them. */
export const images: MigrationStep = {
  name: '0017-images',
  sql: [
    `create table images (
      id text primary key,
      license_id text not null,
      fingerprint text not null,
      repo text not null,
      checksum text not null,
      engine text not null,
      kind text not null,
      app text,
      hostname text,
      label text,
      size_bytes float8,
      added_bytes float8,
      captured_at timestamptz not null,
      duration_s float8,
      paths text[] not null,
      tags text[] not null,
      parent text,
      encrypted boolean,
      verified_at timestamptz,
      job_id text,
      state text not null default 'available' check (state in ('available', 'pruned')),
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      pruned_at timestamptz,
      unique (license_id, fingerprint, repo, checksum))`,
    'create index images_captured_at on images (license_id, captured_at)',
    'create index images_pruned_at on images (pruned_at) where pruned_at is not null',
  ],
}
