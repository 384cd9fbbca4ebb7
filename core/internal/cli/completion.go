package cli

import (
	"bytes"

	"github.com/spf13/cobra"
)

func (a *app) completionCommand(root *cobra.Command) *cobra.Command {
	shells := map[string]func(*bytes.Buffer) error{
		"bash":       func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"zsh":        func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"fish":       func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"powershell": func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes vak's commands in your shell",
		Example: `  source <(vak completion bash)
  vak completion zsh > "${fpath[1]}/_vak"
  vak completion fish > ~/.config/fish/completions/vak.fish
  vak completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return usagef("completion needs one of bash, zsh, fish, powershell; for example \"vak completion bash\"")
			}
			var b bytes.Buffer
			if err := shells[args[0]](&b); err != nil {
				return err
			}
			_, err := a.out.Write(b.Bytes())
			return err
		},
	}
}

// completeFolder completes the one argument of a command that is a folder.
func completeFolder(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
