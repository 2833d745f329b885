# bash completion for pytrace-perf-probe                   -*- shell-script -*-

_pytrace_perf_probe() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local f exe pids=

	COMPREPLY=()
	case $prev in
	-p | --pid)
		for f in /proc/[0-9]*; do
			exe=$(readlink "$f/exe" 2>/dev/null) || continue
			case ${exe##*/} in *python*) pids+=" ${f#/proc/}" ;; esac
		done
		mapfile -t COMPREPLY < <(compgen -W "$pids" -- "$cur")
		return ;;
	-e | --event)
		mapfile -t COMPREPLY < <(compgen -W \
			'function__entry function__return line gc__start gc__done
			 import__find__load__start import__find__load__done audit' \
			-- "$cur")
		return ;;
	--tracefs)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	esac
	case $cur in
	-*)	mapfile -t COMPREPLY < <(compgen -W \
			"$("$1" --help 2>/dev/null | sed -n 's/^ \{2,6\}\(-.*\)/\1/p' |
			   sed 's/   .*//' | grep -oE -- '--?[A-Za-z?][a-z-]*')" \
			-- "$cur") ;;
	*)	mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}
complete -o filenames -F _pytrace_perf_probe pytrace-perf-probe
