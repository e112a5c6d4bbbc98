// Package census invents the data "synthetic" that ship with the program: 32 561 rows to train on,
// and "synthetic.t", 16 281 rows to test on. Every row is invented by a random number
// generator. It describes nobody, and nothing about any people follows from it.
//
// Its shape is that of LIBSVM's a9a: 123 binary features, one for each level of 14
// attributes, so that every row has exactly 14 non-zeros. Column 71 (counted from 1) is
// race=minority-a, 9.6 % of the rows; columns 72 and 73 are the genders. About 24 % of
// the labels are +1, far fewer in that minority and among women: partly because the
// attributes drawn after race and gender depend on them, partly by a direct effect. The
// logistic model is right, up to the law of the noise, and gets 84 % of the labels.
//
// The generator uses integers only, so the rows are the same on every machine. Hash is the
// SHA-256 of the rows written as a LIBSVM file.
package census

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// TrainName and TestName are the names of the two sets of rows.
const TrainName, TestName = "synthetic", "synthetic.t"

// The hashes of the rows. To compute them takes as long as to draw the rows.
const (
	trainHash = "3df8d96225703d98350fb2b2149fa3c01d892e6c21dfeec1deb5dde8ae322d4f"
	testHash  = "735c41348c228e71261a16a11d8813322d692576d94e7c80b6339b5978108ede"
)

// Train returns the rows to train on.
func Train() *dataset.Dataset { return draw(TrainName, 32561, trainHash) }

// Test returns the rows to test on.
func Test() *dataset.Dataset { return draw(TestName, 16281, testHash) }

// seed is part of the data's definition.
const seed = 2

// level is one value of an attribute. A person has a standing: a number of points, about zero.
// Every level that is drawn adds to the standing. The standing moves the odds of the levels
// that are drawn later.
type level struct {
	name   string
	weight int // frequency, relative to the attribute's other levels
	tilt   int // how much more frequent the level is with a higher standing
	points int // what the level adds to the standing
}

// attributes are in the order of the columns.
var attributes = [...]struct {
	name   string
	levels []level
}{
	{"age", []level{
		{"17-26", 20, -3, -36},
		{"27-33", 19, 0, -8},
		{"34-41", 21, 0, 6},
		{"42-50", 20, 1, 14},
		{"51-90", 20, 0, 8},
	}},
	{"sector", []level{
		{"private", 720, 0, 0},
		{"self-employed", 78, 0, -6},
		{"own-company", 36, 8, 12},
		{"national", 32, 3, 10},
		{"regional", 40, 1, 0},
		{"local", 64, 0, 2},
		{"unpaid", 3, -8, -20},
		{"none", 27, -8, -12},
	}},
	{"wave", []level{ // of the survey: carries no information
		{"1", 1, 0, 0},
		{"2", 1, 0, 0},
		{"3", 1, 0, 0},
		{"4", 1, 0, 0},
		{"5", 1, 0, 0},
	}},
	{"schooling", []level{
		{"none", 2, -8, -40},
		{"grades-1-4", 5, -8, -36},
		{"grades-5-6", 10, -8, -32},
		{"grades-7-8", 20, -7, -28},
		{"grade-9", 16, -7, -26},
		{"grade-10", 29, -6, -22},
		{"grade-11", 36, -6, -18},
		{"grade-12", 13, -5, -14},
		{"secondary", 322, -2, -4},
		{"some-college", 224, 0, 2},
		{"trade-diploma", 42, 1, 6},
		{"technical-diploma", 33, 2, 8},
		{"bachelor", 164, 5, 22},
		{"master", 53, 7, 30},
		{"professional", 18, 8, 42},
		{"doctorate", 13, 8, 44},
	}},
	{"experience", []level{
		{"0-4", 18, -5, -10},
		{"5-9", 20, -2, -3},
		{"10-19", 27, 1, 2},
		{"20-29", 20, 3, 5},
		{"30-plus", 15, 3, 6},
	}},
	{"partnership", []level{
		{"married", 440, 6, 34},
		{"single", 320, -5, -22},
		{"cohabiting", 20, 0, 4},
		{"divorced", 136, -1, -14},
		{"separated", 34, -4, -18},
		{"widowed", 32, -2, -14},
		{"apart", 18, -2, -14},
	}},
	{"occupation", []level{
		{"manager", 125, 6, 18},
		{"professional", 130, 6, 14},
		{"technician", 30, 3, 10},
		{"clerk", 115, -1, 0},
		{"sales", 112, 1, 4},
		{"service", 100, -5, -18},
		{"craft", 125, 0, 0},
		{"machine-operator", 70, -4, -8},
		{"driver", 50, -1, -4},
		{"labourer", 60, -6, -16},
		{"farmer", 30, -3, -22},
		{"protective", 20, 1, 8},
		{"domestic", 5, -7, -28},
		{"armed-forces", 2, 0, 0},
	}},
	{"household", []level{
		{"head", 420, 5, 10},
		{"partner", 50, 4, 12},
		{"child", 150, -6, -18},
		{"relative", 30, -5, -10},
		{"lodger", 40, -4, -6},
		{"alone", 310, -2, -4},
	}},
	{"race", []level{
		{"majority", 8540, 0, 3},
		{"minority-d", 83, 0, -24},
		{"minority-c", 97, 0, -18},
		{"minority-b", 320, 0, 4},
		{"minority-a", 960, 0, -22},
	}},
	{"gender", []level{
		{"female", 33, -5, -26},
		{"male", 67, 2, 10},
	}},
	{"investments", []level{
		{"none", 92, 0, 0},
		{"some", 8, 8, 40},
	}},
	{"losses", []level{
		{"none", 95, 0, 0},
		{"some", 5, 6, 24},
	}},
	{"hours", []level{
		{"0-24", 13, -6, -24},
		{"25-39", 12, -3, -12},
		{"40", 47, 0, 0},
		{"41-49", 9, 3, 10},
		{"50-plus", 19, 4, 14},
	}},
	{"region", regions(41)},
}

// order is the order in which the attributes are drawn. What a person is born with
// comes first, and so affects everything else.
var order = [...]int{8, 9, 0, 3, 1, 2, 4, 5, 6, 7, 10, 11, 12, 13}

// maxStanding is above every standing, and above that of the opposite sign.
const maxStanding = 400

// regions returns n levels: nine in ten people have the first one, the others are rare.
func regions(n int) []level {
	levels := []level{{"home", 9000, 0, 0}}
	for k := 1; k < n; k++ {
		levels = append(levels, level{fmt.Sprintf("abroad-%02d", k), 160/k + 8, k%9 - 4, 3 * (k%7 - 3)})
	}
	return levels
}

// A label is +1 if the standing and the noise, the sum of noiseTerms uniform numbers of
// points between −noiseWidth and noiseWidth, together reach labelThreshold.
const (
	labelThreshold = 61
	noiseTerms     = 3
	noiseWidth     = 43
)

// draw draws rows, of a known hash, from the random stream called name.
func draw(name string, rows int, hash string) *dataset.Dataset {
	r := rng.New(seed, name)
	var columns []string
	var first [len(attributes)]int // column of each attribute's first level
	for a, attribute := range attributes {
		first[a] = len(columns)
		for _, l := range attribute.levels {
			columns = append(columns, attribute.name+"="+l.name)
		}
	}

	odds := make([][len(attributes)][]int, 2*maxStanding+1) // cumulated weights, by standing
	cols := make([]int, len(attributes))
	var b sparse.Builder
	for range rows {
		standing := 0
		for _, a := range order {
			sums := odds[maxStanding+standing][a]
			if sums == nil {
				sums = cumulated(attributes[a].levels, standing)
				odds[maxStanding+standing][a] = sums
			}
			k, u := 0, r.IntN(sums[len(sums)-1])
			for u >= sums[k] {
				k++
			}
			standing += attributes[a].levels[k].points
			cols[a] = first[a] + k
		}
		for range noiseTerms {
			standing += r.IntN(2*noiseWidth+1) - noiseWidth
		}
		label := int8(-1)
		if standing >= labelThreshold {
			label = 1
		}
		b.Add(label, cols, nil)
	}
	d := &dataset.Dataset{Name: name, Rule: "generated: +1 for a high income", Cols: columns, Hash: hash}
	d.X, d.Y = b.Finish(len(columns))
	return d
}

// cumulated returns the weight of each level together with those before it, for a person of the
// given standing. The standing tilts the weight of a level, but never below a tenth of the weight
// at standing 0.
func cumulated(levels []level, standing int) []int {
	sums, sum := make([]int, len(levels)), 0
	for k, l := range levels {
		sum += l.weight * max(100, 1000+l.tilt*standing)
		sums[k] = sum
	}
	return sums
}
