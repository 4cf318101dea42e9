// Sees to it that the tests have an nginx to put in front of the gateway. Where there is none and the machine is one's own to furnish, Debian's
// is installed: a few megabytes. Fails where there is none in the end; the tests then skip what needs one, and say so.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const LONGEST = 120_000
const PLACES = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx']

/** `none`, or any other place where nothing is, says that none is wanted. */
const wanted = process.env.FACTWIRE_NGINX
const present = () => (wanted ? [wanted] : PLACES).find((place) => existsSync(place))

const apt = (...args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: LONGEST }).status === 0
}
const install = () => apt('install', '-y', '--no-install-recommends', 'nginx-light')

const mine = process.getuid?.() === 0 && !wanted
if (!present() && mine && !install() && apt('update')) install()
const place = present()
console.log(place ?? (mine ? 'there is none, and none could be installed' : 'there is none'))
process.exitCode = place ? 0 : 1
