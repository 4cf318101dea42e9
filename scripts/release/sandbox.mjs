// Where a rehearsal runs: a home of its own with nothing in it, and of the user's environment only what leads to the network.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const INHERITED = /^(?:TMPDIR|LANG|LC_ALL|(?:https?|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:1'
const LOOPBACK = '127.0.0.1'

/** On top of the environment: what does not go to the loopback goes nowhere. */
export const OFFLINE = {
  ...Object.fromEntries(PROXIES.map((name) => [name, NOWHERE])),
  NO_PROXY: LOOPBACK,
  no_proxy: LOOPBACK,
  // Another registry is no reason to install everything again.
  pnpm_config_verify_deps_before_run: 'false',
}

export function sandbox(home) {
  mkdirSync(home)
  const direct = [process.env.NO_PROXY ?? process.env.no_proxy, LOOPBACK].filter(Boolean).join(',')
  // What stands in a checkout must not be found from here.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name))),
    NO_PROXY: direct,
    no_proxy: direct,
    PATH: path.join(delimiter),
    HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    GIT_AUTHOR_NAME: 'rehearsal',
    GIT_AUTHOR_EMAIL: 'rehearsal@localhost',
    GIT_COMMITTER_NAME: 'rehearsal',
    GIT_COMMITTER_EMAIL: 'rehearsal@localhost',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
    // The address of an archive is meant as it stands.
    npm_config_replace_registry_host: 'never',
  }
  // What is compiled on install needs the headers of this node: those that came with it, where there are any.
  const prefix = dirname(dirname(process.execPath))
  if (existsSync(join(prefix, 'include', 'node', 'node.h'))) env.npm_config_nodedir = prefix
  return {
    env,
    /** For everything that is started from now on. pnpm reads only the file, Changesets only the variable. */
    useRegistry(url, token) {
      env.npm_config_registry = url
      const lines = [`registry=${url}`, ...(token ? [`${url.replace(/^https?:/, '')}:_authToken=${token}`] : [])]
      writeFileSync(join(home, '.npmrc'), `${lines.join('\n')}\n`)
    },
  }
}
