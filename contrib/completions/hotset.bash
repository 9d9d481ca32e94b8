# Completion of hotset for bash.
_hotset() {
	local cur prev words
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	case $prev in
	--format) words='text json csv openmetrics' ;;
	--view) words='overview mongo redis memcached host ops events' ;;
	--kind) words='redis memcached mongo meminfo vmstat psi cgroup metrics stat' ;;
	--theme) words='default light mono' ;;
	lab) words='demo' ;;
	-o | --record | --config | --credentials | --script | --log | replay | inspect)
		COMPREPLY=()
		compopt -o default
		return
		;;
	-d | --delay | -n | --count | --size | --at | --speed | --timeout | --target) words='' ;;
	*)
		case $cur in
		-*) words='--delay --count --once --batch --format --size --view --record --at
			--speed --kind --theme --ascii --no-color --config --default-config
			--credentials --timeout --collections --probe --probe-key --origin-ms --script --target --yes --log --markdown --help
			--version' ;;
		*) words='proc: mongodb:// redis:// memcached:// http://' ;;
		esac
		[ "$COMP_CWORD" -ne 1 ] || words="$words record replay inspect check lab metrics"
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _hotset hotset
