/** Secrets of the world's settings; every secret is a wrong one for all other gates. */
export const SECRETS = {
  cron: 'planted-cron-secret-of-the-world',
  worker: 'planted-worker-secret-of-the-world',
  metrics: 'planted-metrics-secret-of-the-world',
  health: 'planted-health-secret-of-the-world',
  browser: 'planted-browser-token-of-the-world',
  password: 'planted password of the world',
  newPassword: 'planted new password of the world',
  session: 'planted-session-secret-of-the-world-long',
  formerSession: 'planted former session secret, also long',
} as const
