package main

import (
	"regexp"
	"strings"
)

// A position is what a FEN says.
type position struct {
	fen   string
	board [8][8]rune // rank 8 first, file a first; '.' is an empty square
	black bool       // to move
}

// What the fields behind the board have to look like, and how to say so.
var fields = []struct {
	form *regexp.Regexp
	want string
}{
	{regexp.MustCompile(`^[wb]$`), "expected w or b as the second field, whose move it is"},
	{regexp.MustCompile(`^(-|KQ?k?q?|Qk?q?|kq?|q)$`), "expected - or some of KQkq as the third field, who may castle"},
	{regexp.MustCompile(`^(-|[a-h][36])$`), "expected - or a square such as e3 as the fourth field, where a pawn can be taken in passing"},
	{regexp.MustCompile(`^[0-9]{1,3}$`), "expected a number of half-moves as the fifth field"},
	{regexp.MustCompile(`^[1-9][0-9]{0,3}$`), "expected a number of the move, from 1, as the sixth field"},
}

// parse reads a FEN, or says what was expected.
func parse(fen string) (p position, want string) {
	part := strings.Split(fen, " ")
	if len(part) != len(fields)+1 {
		return p, "expected six fields with one space between them"
	}
	for i, f := range fields {
		if !f.form.MatchString(part[i+1]) {
			return p, f.want
		}
	}
	ranks := strings.Split(part[0], "/")
	if len(ranks) != len(p.board) {
		return p, "expected eight ranks with / between them"
	}
	for i, rank := range ranks {
		file := 0
		for _, c := range rank {
			n, fill := 1, c
			switch {
			case c >= '1' && c <= '8':
				n, fill = int(c-'0'), '.'
			case !strings.ContainsRune("pnbrqkPNBRQK", c):
				return p, "expected pieces of pnbrqkPNBRQK and numbers from 1 to 8 on the board"
			}
			for ; n > 0; n-- {
				if file == 8 {
					return p, "expected eight squares in each rank"
				}
				p.board[i][file] = fill
				file++
			}
		}
		if file != 8 {
			return p, "expected eight squares in each rank"
		}
	}
	if strings.Count(part[0], "K") != 1 || strings.Count(part[0], "k") != 1 {
		return p, "expected one king of each side"
	}
	p.fen, p.black = fen, part[1] == "b"
	return p, ""
}
