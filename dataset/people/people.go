// Package people invents applicants for jobs: the table with words that ships with the program, as
// CSV text. Every row is invented by a random number generator. It describes nobody, and nothing
// about any people follows from it.
//
// The column hired says whether an applicant was hired. Skill decides most: a test, an interview,
// education and experience. But women and minorities are hired less often than others of the same
// skill, by a direct effect and by what stands for their group: gaps in employment, hours, jobs and
// referrals tell much of the sex. About a third of the rows are hired. Some values are missing.
package people

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// TrainName and TestName are the names of the two sets of rows.
const TrainName, TestName = "people", "people.t"

// Schema is the name of the built-in schema of the table.
const Schema = "people"

// Sensitive returns the columns that are no features unless a user asks for them.
func Sensitive() []string { return []string{"sex", "ethnicity"} }

// The numbers of rows.
const (
	trainRows = 4000
	testRows  = 2000
)

// Table returns the text of the set of that name, which Is knows. It is the same on every machine:
// the generator uses integers only.
func Table(name string) []byte {
	rows := trainRows
	if name == TestName {
		rows = testRows
	}
	r := rng.New(1, name)
	var b bytes.Buffer
	b.WriteString("age,sex,ethnicity,education,years_experience,test_score,interview,referral,job,hours,distance_km,gap_months,hired\n")
	for range rows {
		writePerson(&b, r)
	}
	return b.Bytes()
}

// Is reports whether a name is that of a set of rows.
func Is(name string) bool { return name == TrainName || name == TestName }

// option is a value that some column may have.
type option struct {
	value       string
	women, men  int // weights
	skill       int // that it adds, or that whoever has it tends to have
	yearsOfLife int // that it took
}

var educations = []option{
	{"none", 4, 6, -26, 0},
	{"school", 20, 24, -14, 2},
	{"apprenticeship", 22, 26, -2, 4},
	{"college", 24, 20, 6, 5},
	{"bachelor", 20, 16, 16, 6},
	{"master", 9, 7, 26, 8},
	{"doctorate", 1, 1, 34, 11},
}

var jobs = []option{
	{"clerk", 26, 10, 0, 0},
	{"nurse", 18, 3, 4, 0},
	{"teacher", 12, 5, 6, 0},
	{"sales", 16, 16, -2, 0},
	{"cook", 8, 8, -8, 0},
	{"analyst", 8, 12, 10, 0},
	{"technician", 5, 18, 4, 0},
	{"driver", 3, 16, -10, 0},
	{"manager", 4, 12, 12, 0},
}

func draw(r *rand.Rand, options []option, isWoman bool) option {
	weight := func(o option) int {
		if isWoman {
			return o.women
		}
		return o.men
	}
	sum := 0
	for _, o := range options {
		sum += weight(o)
	}
	u := r.IntN(sum)
	for _, o := range options {
		if u -= weight(o); u < 0 {
			return o
		}
	}
	panic("people: no option")
}

// noise is about normal, with a standard deviation of about the width.
func noise(r *rand.Rand, width int) int {
	sum := 0
	for range 3 {
		sum += r.IntN(2*width+1) - width
	}
	return sum
}

func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// yesNo is a value of a column of two.
func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func writePerson(b *bytes.Buffer, r *rand.Rand) {
	isWoman := chance(r, 46)
	sex, ethnicity, minority := "male", "majority", false
	if isWoman {
		sex = "female"
	}
	switch u := r.IntN(100); {
	case u < 10:
		ethnicity, minority = "minority-b", true
	case u < 28:
		ethnicity, minority = "minority-a", true
	}
	age := 20 + r.IntN(23) + r.IntN(24)
	education, job := draw(r, educations, isWoman), draw(r, jobs, isWoman)

	gap := 0 // months
	switch {
	case isWoman && age > 26 && chance(r, 70):
		gap = 6 + r.IntN(31)
	case chance(r, 15):
		gap = 1 + r.IntN(12)
	}
	hours, partTime := 40, 8
	if isWoman {
		partTime = 34
	}
	switch {
	case chance(r, partTime):
		hours = 20 + 2*r.IntN(7)
	case chance(r, 30):
		hours = 35 + r.IntN(11)
	}
	experience := max(0, age-18-education.yearsOfLife-gap/12-r.IntN(7))
	referral := 32
	if isWoman {
		referral -= 12
	}
	if minority {
		referral -= 10
	}
	referred := chance(r, referral)

	skill := education.skill + job.skill + min(experience, 20) + noise(r, 24)
	test := min(100, max(5, 58+skill/3+noise(r, 6)))
	interview := min(5, max(1, 3+(skill+noise(r, 18))/24))
	distance := 5 + r.IntN(21)*r.IntN(21) // tenths of a kilometre

	merit := skill + (test - 60) + 7*(interview-3) - distance/20 + noise(r, 31)
	if referred {
		merit += 26
	}
	if hours < 35 {
		merit -= 16
	}
	merit -= gap * 5 / 4
	if isWoman {
		merit -= 16
	}
	if minority {
		merit -= 18
	}
	missing := func(percent int, text string) string {
		if chance(r, percent) {
			return ""
		}
		return text
	}
	fmt.Fprintf(b, "%d,%s,%s,%s,%s,%s,%d,%s,%s,%d,%s,%d,%s\n", age, sex, ethnicity, missing(2, education.value),
		missing(3, strconv.Itoa(experience)), missing(4,
			strconv.Itoa(test)), interview, yesNo(referred), job.value, hours,
		missing(3, fmt.Sprintf("%d.%d", distance/10, distance%10)), gap, yesNo(merit >= 26))
}
