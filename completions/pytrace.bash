# bash completion for pytrace                              -*- shell-script -*-
# The views and their options are asked of the program itself (--help), so
# that they cannot be out of date; here stands only what a value looks like.

_pytrace_views() {
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}

_pytrace_options() {	# program, view; an option: no view is named
	local view=()

	[[ $2 == -* ]] || view=("$2")
	"$1" "${view[@]}" --help 2>/dev/null |
	sed -n 's/^ \{2,6\}\(-.*\)/\1/p' |
	sed 's/   .*//' | grep -oE -- '--?[A-Za-z?][a-z-]*' | sort -u
}

_pytrace_pids() {
	local f exe

	for f in /proc/[0-9]*; do
		exe=$(readlink "$f/exe" 2>/dev/null) || continue
		case ${exe##*/} in *python*) echo "${f#/proc/}" ;; esac
	done
}

_pytrace() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local i view=${COMP_WORDS[1]-}

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ] && [[ $cur != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_pytrace_views "$1") --help --version --json-schema" -- "$cur")
		return
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] || continue
		# what follows is another program's business
		if declare -F _command_offset >/dev/null; then
			_command_offset $((i + 1))
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		fi
		return
	done
	case $prev in
	-p | --pid)
		mapfile -t COMPREPLY < <(compgen -W "$(_pytrace_pids)" -- "$cur")
		return ;;
	--cgroup)
		mapfile -t COMPREPLY < <(compgen -d -- "${cur:-/sys/fs/cgroup/}")
		return ;;
	--exe)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	--unit)
		mapfile -t COMPREPLY < <(compgen -W "$(systemctl list-units \
			--type=service --plain --no-legend 2>/dev/null |
			cut -d' ' -f1)" -- "$cur")
		return ;;
	--by)
		mapfile -t COMPREPLY < <(compgen -W \
			'app line func stack thread process age' -- "$cur")
		return ;;
	--sort)
		mapfile -t COMPREPLY < <(compgen -W \
			'time count samples faults errors p50 p99 max bytes cow private resident major events
			 total self cpu calls resumes suspended' \
			-- "$cur")
		return ;;
	--probes)
		mapfile -t COMPREPLY < <(compgen -W \
			'auto usdt synthetic none' -- "$cur")
		return ;;
	--allow)
		mapfile -t COMPREPLY < <(compgen -W 'single-step' -- "$cur")
		return ;;
	--color)
		mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur")
		return ;;
	-e)
		mapfile -t COMPREPLY < <(compgen -W \
			'syscalls faults offcpu cpu calls gc import audit line usdt: %file %network %process %desc %memory
			 cycles instructions cache-misses branch-misses cpu-clock page-faults
			 context-switches cpu-migrations sched: block: kmem: net:' -- "$cur")
		return ;;
	-i | --input | -o | --output)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	-d | --duration | -I | --interval | --slower | -F | -t | --thread | \
	--name | --container | -s | --app | --buffer | \
	--max-overhead | --max-size | --idle-at | --width | --limit)
		return ;;
	esac
	case $cur in
	-*)	mapfile -t COMPREPLY < <(compgen -W \
			"$(_pytrace_options "$1" "$view")" -- "$cur") ;;
	*)	mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}
complete -o filenames -F _pytrace pytrace
