/**
 * The variable by which a trial lets its agent, and so its handlers, fetch for git hooks from repositories of
 * this machine. An agent of another plane has none: who may make hooks there may not read its files.
 */
export const LOCAL_REPOSITORIES = 'SVC_LOCAL_REPOSITORIES'
